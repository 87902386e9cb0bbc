// V23: a special value in place of another: flushed subnormals, a lost sign of zero, NaN or infinity replaced.
#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

enum class Mode {
  flush_signed,
  flush,
  zero_sign_lost,
  zero_negated,
  nan_to_zero,
  infinity_to_largest,
  infinity_to_nan
};

constexpr std::string_view kModes[] = {"subnormals flushed, sign kept",
                                       "subnormals flushed to +0",
                                       "-0 became +0",
                                       "+0 became -0",
                                       "NaN became 0",
                                       "infinity became the largest finite value",
                                       "infinity became NaN"};

uint64_t apply(DType dtype, uint64_t bits, Mode mode) {
  const uint64_t sign = uint64_t{1} << (bit_width(dtype) - 1);
  switch (mode) {
    case Mode::flush_signed: return is_subnormal(dtype, bits) ? bits & sign : bits;
    case Mode::flush: return is_subnormal(dtype, bits) ? 0 : bits;
    case Mode::zero_sign_lost: return bits == sign ? 0 : bits;
    case Mode::zero_negated: return bits == 0 ? sign : bits;
    case Mode::nan_to_zero: return is_nan(dtype, bits) ? 0 : bits;
    case Mode::infinity_to_largest: return is_infinite(dtype, bits) ? (bits & sign) | largest_finite(dtype) : bits;
    default: return is_infinite(dtype, bits) ? bits_of(dtype, std::numeric_limits<double>::quiet_NaN()) : bits;
  }
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (!is_float(scene.dtype)) return;
  for (size_t k = 0; k < std::size(kModes); ++k)
    proposals.offer(
        choice_bits(std::size(kModes)),
        [&scene, mode = static_cast<Mode>(k)](size_t at, int64_t flat, int) {
          Predicted result = reference_at(scene, at, flat);
          const uint64_t changed = apply(scene.dtype, result.bits, mode);
          if (changed != result.bits) result = {true, changed, 0};
          return result;
        },
        [&] { return std::string(kModes[k]); });
}

}  // namespace

constinit const WhatFamily what_special{.id = "V23",
                                        .name = "wrong special value",
                                        .layers = "numerics.nan,numerics.ftz,numerics.sat",
                                        .moves = false,
                                        .propose = propose};

}  // namespace faultline
