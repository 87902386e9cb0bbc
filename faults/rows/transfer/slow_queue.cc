// A queue carries its copies more slowly than the link allows, by `ticks` each: nothing comes out wrong, only late.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_engine_copy(site, Engine::load); }

static TransferAnswer answer(const TransferSite&, const FaultSpec& spec) { return {.delay = spec.ticks.value_or(200)}; }

static constexpr EffectSetting kEffects[] = {{"ticks", &FaultSpec::ticks, 1, 0x7fffffff}};

extern const Fault fault_transfer_slow_queue;
constinit const Fault fault_transfer_slow_queue{
    .id = "transfer.slow_queue",
    .summary = "copies into scratch memory take longer than their bytes",
    .mechanism = "transfer.slow",
    .origin = "https://arxiv.org/abs/2510.24112",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
    .effects = kEffects,
};

}  // namespace faultline
