// V19: one block of a contraction left out, or counted twice. The case brings what each block adds.
#include <fmt/format.h>

#include <cmath>

#include "checkers/patterns/element.h"
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  size_t blocks = scene.cases[0].contraction_blocks.size();
  for (const ObservedCase& one : scene.cases) blocks = std::min(blocks, one.contraction_blocks.size());
  for (size_t block = 0; block < blocks; ++block)
    for (const double times : {-1.0, 1.0})
      proposals.offer(
          choice_bits(static_cast<double>(blocks)) + 1,
          [&scene, block, times](size_t at, int64_t flat, int) {
            Predicted result = reference_at(scene, at, flat);
            const double change = times * scene.cases[at].contraction_blocks[block][static_cast<size_t>(flat)];
            const double value = value_of(scene.dtype, result.bits) + change;
            result.bits = bits_of(scene.dtype, value);
            // The reference is itself rounded, and so is the sum.
            if (is_float(scene.dtype) && change != 0)
              result.tolerance += std::ldexp(std::fabs(value) + std::fabs(change), -float_fields(scene.dtype).fraction);
            return result;
          },
          [&] {
            return fmt::format("block {} of {} of the contraction {}", block, blocks,
                               times < 0 ? "left out" : "counted twice");
          });
}

}  // namespace

constinit const WhatFamily what_partial_sum{.id = "V19",
                                            .name = "partial contraction",
                                            .layers = "tile.ksplit,schedule.trip,tile.tail_tile",
                                            .moves = false,
                                            .propose = propose};

}  // namespace faultline
