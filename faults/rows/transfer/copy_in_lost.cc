// A copy from device memory into scratch is reported done and has moved nothing.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_engine_copy(site, Engine::load); }

static TransferAnswer answer(const TransferSite&, const FaultSpec&) { return {.drop = true}; }

extern const Fault fault_transfer_copy_in_lost;
constinit const Fault fault_transfer_copy_in_lost{
    .id = "transfer.copy_in_lost",
    .summary = "a copy into scratch memory reports completion and moves nothing",
    .mechanism = "transfer.drop",
    .origin = "https://github.com/jax-ml/jax/issues/39744",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
