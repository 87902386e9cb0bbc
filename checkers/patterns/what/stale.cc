// V4: the previous call's output, at the same position or shifted. Seen only where that call had other inputs.
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (scene.buffers.empty() || !scene.buffers[0].previous) return;
  const Source source(scene, 0);
  proposals.offer(
      scene.buffer_bits(), [source](size_t at, int64_t flat, int) { return source.element(at, flat); },
      [] { return std::string("stale: previous output"); });
  offer_shifts(proposals, source, proposals.in_buffer(0), scene.buffer_bits(), "stale: previous output ");
}

}  // namespace

constinit const WhatFamily what_stale{.id = "V4",
                                      .name = "stale",
                                      .layers = "capture.guard_drop,schedule.cache,transfer.stale_args,transfer.drop",
                                      .moves = true,
                                      .propose = propose};

}  // namespace faultline
