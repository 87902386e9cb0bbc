// V16: clamped to the range of another type, or infinite beyond it. (Wrapping is V14's.)
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

struct Range {
  std::string_view name;
  double low, high;
};

constexpr Range kRanges[] = {
    {"i8", -128, 127},
    {"u8", 0, 255},
    {"i16", -32768, 32767},
    {"u16", 0, 65535},
    {"i32", -0x1p31, 0x1p31 - 1},
    {"f16", -65504, 65504},
    {"f8e4m3", -448, 448},
    {"f8e5m2", -57344, 57344},
};

void offer_range(Proposals& proposals, const Range& range, bool infinite) {
  const Scene& scene = proposals.scene();
  proposals.offer(
      choice_bits(std::size(kRanges)) + 1,
      [&scene, range, infinite](size_t at, int64_t flat, int) {
        Predicted right = reference_at(scene, at, flat);
        const double value = value_of(scene.dtype, right.bits);
        if (!(value < range.low) && !(value > range.high)) return right;
        const double end = value < range.low ? range.low : range.high;
        const double instead = infinite ? std::copysign(std::numeric_limits<double>::infinity(), value) : end;
        return Predicted{true, bits_of(scene.dtype, instead), 0};
      },
      [&] { return fmt::format("{} the range of {}", infinite ? "infinite beyond" : "clamped to", range.name); });
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (scene.dtype == DType::boolean) return;
  for (const Range& range : kRanges) {
    offer_range(proposals, range, false);
    if (is_float(scene.dtype)) offer_range(proposals, range, true);
  }
}

}  // namespace

constinit const WhatFamily what_saturated{.id = "V16",
                                          .name = "saturated or infinite",
                                          .layers = "numerics.sat,decompose.promote",
                                          .moves = false,
                                          .propose = propose};

}  // namespace faultline
