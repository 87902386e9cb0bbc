// A launch is carried out again before it replies, as after a retry of a request that had been received. Nothing is
// wrong with the numbers as long as no kernel writes what it reads.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return site.kind == TransferSite::Kind::launch; }

static TransferAnswer answer(const TransferSite&, const FaultSpec&) { return {.duplicate = true}; }

extern const Fault fault_transfer_launch_twice;
constinit const Fault fault_transfer_launch_twice{
    .id = "transfer.launch_twice",
    .summary = "a launch is carried out twice",
    .mechanism = "transfer.duplicate",
    .origin = "constructed: a request that is sent again because its acknowledgement was late runs twice",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
