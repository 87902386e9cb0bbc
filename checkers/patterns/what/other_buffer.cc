// V5: another live buffer, at the same coordinates or shifted.
#include <fmt/format.h>

#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  for (size_t k = 0; k < scene.buffers.size(); ++k) {
    const KnownBuffer& buffer = scene.buffers[k];
    if (buffer.previous || byte_size(buffer.dtype) != byte_size(scene.dtype)) continue;
    const Source source(scene, static_cast<int>(k));
    proposals.offer(
        scene.buffer_bits(),
        [source](size_t at, int64_t flat, int) {
          const int64_t same = source.position(at, flat, [](int64_t*) {});
          return source.element(at, same);
        },
        [&] { return fmt::format("holds {}", buffer.name); });
    offer_shifts(proposals, source, proposals.in_buffer(k), scene.buffer_bits(), buffer.name + " ");
  }
}

}  // namespace

constinit const WhatFamily what_other_buffer{.id = "V5",
                                             .name = "another buffer",
                                             .layers = "tile.overlap,tile.early_free,fuse.hazard",
                                             .moves = true,
                                             .propose = propose};

}  // namespace faultline
