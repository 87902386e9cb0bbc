// V3: the same bits everywhere, named in full. The commonest wrong pattern is the candidate.
#include <fmt/format.h>

#include "checkers/patterns/element.h"
#include "checkers/patterns/proposals.h"

namespace faultline {

namespace {

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  std::map<uint64_t, int64_t> counts;
  for (const Probe& probe : proposals.probes())
    if (probe.got != 0) ++counts[probe.got];
  for (const uint64_t bits : most_common(counts, 2))
    proposals.offer(
        scene.width, [bits](size_t, int64_t, int) { return Predicted{true, bits, 0}; },
        [&] { return fmt::format("constant {} ({:.6g})", hex(scene.dtype, bits), value_of(scene.dtype, bits)); });
}

}  // namespace

constinit const WhatFamily what_constant{.id = "V3",
                                         .name = "constant",
                                         .layers = "layout.pad_dirty,schedule.imm,fuse.combine",
                                         .moves = false,
                                         .propose = propose};

}  // namespace faultline
