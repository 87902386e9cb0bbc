// V10: one slice of a dimension stands in all of them. Slice 0 needs no number.
#include <fmt/format.h>

#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

void offer_slice(Proposals& proposals, int d, int64_t slice) {
  const Scene& scene = proposals.scene();
  const Source source(scene);
  proposals.offer(
      scene.dim_bits() + (slice == 0 ? 0 : scene.row_bits(d)),
      [source, d, slice](size_t at, int64_t flat, int) {
        return source.moved(at, flat, source.position(at, flat, [&](int64_t* c) { c[d] = slice; }));
      },
      [&] { return fmt::format("slice {} of dim {} everywhere", slice, d); });
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  const Source source(scene);
  std::map<std::pair<int, int64_t>, int64_t> votes;
  const std::vector<std::vector<int64_t>>& hits = proposals.in_reference();
  for (size_t k = 0; k < proposals.probes().size(); ++k)
    for (const int64_t hit : hits[k]) {
      const Probe& probe = proposals.probes()[k];
      const int d = differing_dim(scene, source, probe, hit);
      if (d >= 0) ++votes[{d, source.coordinate(probe.at, hit, d)}];
    }
  for (int d = 0; d < scene.rank; ++d)
    if (scene.largest[static_cast<size_t>(d)] > 1) offer_slice(proposals, d, 0);
  for (const auto& [d, slice] : most_common(votes, 3))
    if (slice != 0) offer_slice(proposals, d, slice);
}

}  // namespace

constinit const WhatFamily what_broadcast{.id = "V10",
                                          .name = "broadcast of one slice",
                                          .layers = "fuse.hazard,fuse.bcast,schedule.addr",
                                          .moves = true,
                                          .propose = propose};

}  // namespace faultline
