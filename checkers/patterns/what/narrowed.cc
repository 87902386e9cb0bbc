// V22: the reference rounded to a narrower type, to nearest or towards zero, and widened again.
#include <fmt/format.h>

#include <cmath>

#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

struct Narrow {
  std::string_view name;
  DType dtype;
  int fraction;  // kept bits of the fraction
};

// The third has the range of f32 and the fraction of f16.
constexpr Narrow kNarrow[] = {
    {"f32", DType::f32, 23},  {"f16", DType::f16, 10},      {"tf32", DType::f32, 10},
    {"bf16", DType::bf16, 7}, {"f8e4m3", DType::f8e4m3, 3}, {"f8e5m2", DType::f8e5m2, 2},
};

double narrow(const Narrow& type, double value, bool nearest) {
  if (type.name == "tf32") {
    if (!std::isfinite(value) || value == 0) return value;
    const int scale = type.fraction - std::ilogb(value);
    const double scaled = std::ldexp(value, scale);
    return std::ldexp(nearest ? std::nearbyint(scaled) : std::trunc(scaled), -scale);
  }
  return value_of(type.dtype, nearest ? bits_of(type.dtype, value) : bits_towards_zero(type.dtype, value));
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (!is_float(scene.dtype)) return;
  for (const Narrow& type : kNarrow) {
    if (type.fraction >= float_fields(scene.dtype).fraction) continue;
    for (const bool nearest : {true, false})
      proposals.offer(
          choice_bits(std::size(kNarrow)) + 1,
          [&scene, &type, nearest](size_t at, int64_t flat, int) {
            Predicted result = reference_at(scene, at, flat);
            result.bits = bits_of(scene.dtype, narrow(type, value_of(scene.dtype, result.bits), nearest));
            return result;
          },
          [&] { return fmt::format("{} to {}", nearest ? "rounded" : "truncated", type.name); });
  }
}

}  // namespace

constinit const WhatFamily what_narrowed{.id = "V22",
                                         .name = "precision of another type",
                                         .layers = "decompose.promote,numerics.acc,numerics.lut,numerics.round",
                                         .moves = false,
                                         .propose = propose};

}  // namespace faultline
