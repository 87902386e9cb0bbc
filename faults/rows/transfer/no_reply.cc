// The card carries a launch out and its reply is lost: the host waits for ever.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_launch_reply(site); }

static TransferAnswer answer(const TransferSite&, const FaultSpec&) { return {.no_completion = true}; }

extern const Fault fault_transfer_no_reply;
constinit const Fault fault_transfer_no_reply{
    .id = "transfer.no_reply",
    .summary = "the reply of a launch is lost",
    .mechanism = "transfer.timeout",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/4712",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
