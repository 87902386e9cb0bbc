// A launch takes along the buffer addresses of the launch of its kernel before, so that a later call works on an
// earlier call's memory.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return site.kind == TransferSite::Kind::launch && site.call > 0; }

static TransferAnswer answer(const TransferSite&, const FaultSpec&) { return {.stale_arguments = true}; }

extern const Fault fault_transfer_stale_args;
constinit const Fault fault_transfer_stale_args{
    .id = "transfer.stale_args",
    .summary = "a later call's launches use the addresses of the call before",
    .mechanism = "transfer.stale_args",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1765",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y; call f(); call f()",
};

}  // namespace faultline
