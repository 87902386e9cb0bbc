// V18: added twice, or added to what was there before: 2*reference, reference + a buffer, reference + poison.
#include <fmt/format.h>

#include <cmath>

#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

Predicted sum(const Scene& scene, const Predicted& right, uint64_t other) {
  Predicted result = right;
  if (!is_float(scene.dtype)) {
    result.bits = (right.bits + other) & bit_mask(scene.width);
    return result;
  }
  const double value = value_of(scene.dtype, right.bits) + value_of(scene.dtype, other);
  result.bits = bits_of(scene.dtype, value);
  result.tolerance += std::ldexp(std::fabs(value), -float_fields(scene.dtype).fraction);
  return result;
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (scene.dtype == DType::boolean) return;
  proposals.offer(
      0,
      [&scene](size_t at, int64_t flat, int) {
        const Predicted right = reference_at(scene, at, flat);
        Predicted twice = sum(scene, right, right.bits);
        twice.tolerance = 2 * right.tolerance;
        return twice;
      },
      [] { return std::string("added twice"); });
  for (const KnownBuffer& buffer : scene.buffers) {
    if (buffer.dtype != scene.dtype) continue;
    proposals.offer(
        scene.buffer_bits(),
        [&scene, &buffer](size_t at, int64_t flat, int) -> Predicted {
          const std::vector<uint64_t>& bits = *buffer.bits[at];
          if (flat >= static_cast<int64_t>(bits.size())) return {};
          return sum(scene, reference_at(scene, at, flat), bits[static_cast<size_t>(flat)]);
        },
        [&] { return fmt::format("added to {}", buffer.name); });
  }
  for (const ObservedCase& one : scene.cases)
    if (!one.poison1) return;
  proposals.offer(
      0,
      [&scene](size_t at, int64_t flat, int run) -> Predicted {
        const std::optional<uint64_t> poison = run == 0 ? scene.cases[at].poison1 : scene.cases[at].poison2;
        if (!poison) return {};
        return sum(scene, reference_at(scene, at, flat), *poison);
      },
      [] { return std::string("added to memory that was not cleared"); });
}

}  // namespace

constinit const WhatFamily what_added_twice{.id = "V18",
                                            .name = "added twice or not cleared",
                                            .layers = "tile.dup,tile.ksplit,transfer.duplicate",
                                            .moves = false,
                                            .propose = propose};

}  // namespace faultline
