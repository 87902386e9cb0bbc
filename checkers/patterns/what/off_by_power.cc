// V14: off by a power of two: the low k bits, sign- or zero-extended, or 2^k more or less.
#include <fmt/format.h>

#include "checkers/patterns/element.h"
#include "checkers/patterns/proposals.h"

namespace faultline {

namespace {

constexpr int kWidths[] = {8, 16, 31, 32};
constexpr int kModes = 4;

uint64_t apply(uint64_t bits, int width, int mode) {
  const uint64_t low = bits & bit_mask(width);
  const bool negative = (low >> (width - 1) & 1) != 0;
  switch (mode) {
    case 0: return low;
    case 1: return negative ? low | ~bit_mask(width) : low;
    case 2: return bits + (uint64_t{1} << width);
    default: return bits - (uint64_t{1} << width);
  }
}

std::string text(int width, int mode) {
  switch (mode) {
    case 0: return fmt::format("wrapped to {} bits", width);
    case 1: return fmt::format("wrapped to {} bits, signed", width);
    case 2: return fmt::format("off by +2^{}", width);
    default: return fmt::format("off by -2^{}", width);
  }
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (!is_integer(scene.dtype)) return;
  for (const int width : kWidths) {
    if (width >= scene.width) continue;
    for (int mode = 0; mode < kModes; ++mode)
      proposals.offer(
          choice_bits(std::size(kWidths)) + choice_bits(kModes),
          [&scene, width, mode](size_t at, int64_t flat, int) {
            const uint64_t bits = scene.cases[at].reference[static_cast<size_t>(flat)];
            return Predicted{true, apply(bits, width, mode) & bit_mask(scene.width), 0};
          },
          [&] { return text(width, mode); });
  }
}

}  // namespace

constinit const WhatFamily what_off_by_power{.id = "V14",
                                             .name = "off by a power of two",
                                             .layers = "schedule.imm,schedule.addr,decompose.promote",
                                             .moves = false,
                                             .propose = propose};

}  // namespace faultline
