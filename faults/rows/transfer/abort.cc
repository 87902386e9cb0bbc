// A compute unit reports a hardware error. It surfaces when the host synchronises, and every later step is refused with
// another code that hides the first.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_compute(site); }

static TransferAnswer answer(const TransferSite&, const FaultSpec& spec) {
  return {.error_code = static_cast<uint32_t>(spec.mask.value_or(0x7b1b))};
}

static constexpr EffectSetting kEffects[] = {{"mask", &FaultSpec::mask, 1, 0xffffffff}};

extern const Fault fault_transfer_abort;
constinit const Fault fault_transfer_abort{
    .id = "transfer.abort",
    .summary = "a compute unit reports an error, and the stream refuses all that follows",
    .mechanism = "transfer.abort",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/2633",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
    .effects = kEffects,
};

}  // namespace faultline
