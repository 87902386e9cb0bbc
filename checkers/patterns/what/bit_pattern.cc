// V20: the same bits are flipped, or stuck at 0 or 1.
#include <fmt/format.h>

#include <bit>

#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

enum class Change { flip, stuck_at_one, stuck_at_zero };

uint64_t apply(uint64_t bits, uint64_t mask, Change change) {
  if (change == Change::flip) return bits ^ mask;
  return change == Change::stuck_at_one ? bits | mask : bits & ~mask;
}

std::string field(DType dtype, int bit) {
  if (!is_float(dtype)) return "";
  const FloatFields fields = float_fields(dtype);
  if (bit == bit_width(dtype) - 1) return " (sign)";
  return bit >= fields.fraction ? " (exponent)" : " (fraction)";
}

std::string text(DType dtype, uint64_t mask, Change change) {
  const bool one_bit = std::popcount(mask) == 1;
  const int bit = std::countr_zero(mask);
  const std::string which = one_bit ? fmt::format("bit {}{}", bit, field(dtype, bit)) : "bits " + hex(dtype, mask);
  if (change == Change::flip) return fmt::format("xor {}: {} flipped", hex(dtype, mask), which);
  return fmt::format("{} stuck at {}", which, change == Change::stuck_at_one ? 1 : 0);
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  std::map<uint64_t, int64_t> masks;
  for (const Probe& probe : proposals.probes()) ++masks[probe.got ^ probe.reference];
  for (const uint64_t mask : most_common(masks, 2))
    for (const Change change : {Change::flip, Change::stuck_at_one, Change::stuck_at_zero})
      proposals.offer(
          scene.width + (change == Change::flip ? 0 : 1),
          [&scene, mask, change](size_t at, int64_t flat, int) {
            Predicted result = reference_at(scene, at, flat);
            const uint64_t bits = apply(result.bits, mask, change);
            if (bits != result.bits) result.tolerance = 0;
            result.bits = bits;
            return result;
          },
          [&] { return text(scene.dtype, mask, change); });
}

}  // namespace

constinit const WhatFamily what_bit_pattern{.id = "V20",
                                            .name = "bit pattern",
                                            .layers = "numerics.stuck,numerics.flip1,numerics.flipn",
                                            .moves = false,
                                            .propose = propose};

}  // namespace faultline
