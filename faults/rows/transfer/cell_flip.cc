// A bit of device memory has flipped before a copy reads it, and the error-correcting code missed it: what arrives in
// scratch is what was read, so that the checksums of both ends agree. Bit 4 of the second byte of every copy, or the
// bits of `mask` in the byte at `offset`.
#include "faults/transfer_sites.h"

namespace faultline {

static bool applies(const TransferSite& site) { return is_engine_copy(site, Engine::load); }

static TransferAnswer answer(const TransferSite&, const FaultSpec& spec) {
  return {.flip_mask = static_cast<uint8_t>(spec.mask.value_or(0x10)),
          .flip_offset = spec.offset.value_or(1),
          .flip_at_rest = true};
}

static constexpr EffectSetting kEffects[] = {{"mask", &FaultSpec::mask, 1, 0xff},
                                             {"offset", &FaultSpec::offset, 0, 0x7fffffff}};

extern const Fault fault_transfer_cell_flip;
constinit const Fault fault_transfer_cell_flip{
    .id = "transfer.cell_flip",
    .summary = "one bit of device memory flips before a copy reads it, unseen by any code",
    .mechanism = "transfer.ecc",
    .origin = "https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html",
    .targets = "any",
    .hook = TransferHook{applies, answer},
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
    .effects = kEffects,
};

}  // namespace faultline
