// A bit flips on the way from device memory into scratch and no code notices it: bit 4 of the second byte of every
// copy, or the bits of `mask` in the byte at `offset`.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_engine_copy(site, Engine::load); }

static TransferAnswer answer(const TransferSite&, const FaultSpec& spec) {
  return {.flip_mask = static_cast<uint8_t>(spec.mask.value_or(0x10)), .flip_offset = spec.offset.value_or(1)};
}

static constexpr EffectSetting kEffects[] = {{"mask", &FaultSpec::mask, 1, 0xff},
                                             {"offset", &FaultSpec::offset, 0, 0x7fffffff}};

extern const Fault fault_transfer_beat_flip;
constinit const Fault fault_transfer_beat_flip{
    .id = "transfer.beat_flip",
    .summary = "one bit of every copy into scratch memory flips on its way",
    .mechanism = "transfer.ecc",
    .origin = "https://github.com/groq/GroqAPI/blob/main/gapi/c2c/README.md",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
    .effects = kEffects,
};

}  // namespace faultline
