// V12: an index output holds the index in memory order instead of the logical one. An operand with strides says what
// memory order is; one without is read as the transpose of its last two dimensions.
#include <fmt/format.h>

#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

// Index in memory order of the element with logical index `logical`; -1 where there is none.
int64_t memory_index(const Sizes& sizes, const Sizes& strides, int64_t logical) {
  if (logical < 0 || logical >= element_count(sizes)) return -1;
  if (!strides.empty()) return storage_index({DType::u8, sizes, strides, 0}, logical);
  const int64_t rows = sizes[sizes.size() - 2], columns = sizes.back(), plane = rows * columns;
  const int64_t row = logical % plane / columns, column = logical % columns;
  return logical / plane * plane + column * rows + row;
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (!is_integer(scene.dtype)) return;
  std::vector<size_t> operands;
  for (size_t k = 0; k < scene.buffers.size(); ++k)
    if (!scene.buffers[k].previous && scene.buffers[k].sizes[0].size() >= 2) operands.push_back(k);
  for (const size_t k : operands) {
    const KnownBuffer& buffer = scene.buffers[k];
    proposals.offer(
        choice_bits(static_cast<double>(operands.size())),
        [&scene, &buffer](size_t at, int64_t flat, int) -> Predicted {
          const auto logical = static_cast<int64_t>(scene.cases[at].reference[static_cast<size_t>(flat)]);
          const int64_t index = memory_index(buffer.sizes[at], buffer.strides[at], logical);
          return {index >= 0, static_cast<uint64_t>(index), 0};
        },
        [&] { return fmt::format("index in the memory order of {}", buffer.name); });
  }
}

}  // namespace

constinit const WhatFamily what_physical_index{.id = "V12",
                                               .name = "physical for logical index",
                                               .layers = "layout.stride,layout.order",
                                               .moves = false,
                                               .propose = propose};

}  // namespace faultline
