// A copy to the host replies before its bytes have arrived, and the host looks at them at once.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_copy_to_host(site); }

static TransferAnswer answer(const TransferSite&, const FaultSpec&) { return {.early_completion = true}; }

extern const Fault fault_transfer_early_reply;
constinit const Fault fault_transfer_early_reply{
    .id = "transfer.early_reply",
    .summary = "a copy to the host replies before the bytes are there",
    .mechanism = "transfer.reorder",
    .origin = "https://github.com/Cerebras/sdk-examples/issues/26",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
