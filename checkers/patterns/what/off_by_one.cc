// V15: integers one too large or too small; and by another constant, which is named in full.
#include <fmt/format.h>

#include "checkers/patterns/element.h"
#include "checkers/patterns/proposals.h"

namespace faultline {

namespace {

void offer_difference(Proposals& proposals, uint64_t difference, double bits) {
  const Scene& scene = proposals.scene();
  proposals.offer(
      bits,
      [&scene, difference](size_t at, int64_t flat, int) {
        const uint64_t right = scene.cases[at].reference[static_cast<size_t>(flat)];
        return Predicted{true, (right + difference) & bit_mask(scene.width), 0};
      },
      [&] {
        const DType like = scene.dtype == DType::u8 ? DType::i8 : scene.dtype;
        return fmt::format("off by {:+}", integer_of(like, difference));
      });
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (!is_integer(scene.dtype)) return;
  const uint64_t mask = bit_mask(scene.width);
  offer_difference(proposals, 1, 1);
  offer_difference(proposals, mask, 1);
  std::map<uint64_t, int64_t> counts;
  for (const Probe& probe : proposals.probes()) ++counts[(probe.got - probe.reference) & mask];
  for (const uint64_t difference : most_common(counts, 2))
    if (difference != 1 && difference != mask) offer_difference(proposals, difference, scene.width);
}

}  // namespace

constinit const WhatFamily what_off_by_one{
    .id = "V15", .name = "off by one", .layers = "decompose.edge,schedule.addr", .moves = false, .propose = propose};

}  // namespace faultline
