// A copy out of scratch lands beside its place in device memory: one stick further on, or by `offset` bytes.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_engine_copy(site, Engine::store); }

static TransferAnswer answer(const TransferSite&, const FaultSpec& spec) {
  return {.address_offset = spec.offset.value_or(128)};
}

static constexpr EffectSetting kEffects[] = {{"offset", &FaultSpec::offset, -0x7fffffff, 0x7fffffff}};

extern const Fault fault_transfer_misdirect;
constinit const Fault fault_transfer_misdirect{
    .id = "transfer.misdirect",
    .summary = "a copy to device memory lands one stick behind its place",
    .mechanism = "transfer.misdirect",
    .origin = "https://arxiv.org/abs/2605.04213",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
    .effects = kEffects,
};

}  // namespace faultline
