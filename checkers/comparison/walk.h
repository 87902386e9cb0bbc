// In which order the elements of tensors with strides are visited, and how they come to lie packed in blocks.
//
// A comparison may visit elements in any order, so they are visited in one that suits memory: dims by falling stride,
// adjacent ones joined. Where two tensors disagree about the innermost dim, as a transposed one and a contiguous one
// do, the other's innermost dim is cut into slabs of a cache line's worth of elements and visited innermost, slab by
// slab.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/ir/tensor.h"

namespace faultline {

inline constexpr size_t kOperandsMax = 4;

// One tensor of those that are walked together.
struct WalkOperand {
  const std::byte* first;  // the element with the coordinates 0
  size_t bytes;            // of an element
  const Sizes& strides;
};

// Elements by their ordinal 0 .. count in the order of the visit, and the row-major index of each.
class Walk {
 public:
  using Pointers = std::array<const std::byte*, kOperandsMax>;
  using Buffers = std::array<std::byte*, kOperandsMax>;

  int64_t count() const { return count_; }
  // Indices rise with the ordinals.
  bool in_order() const { return in_order_; }
  int64_t index(int64_t ordinal) const;
  // No element from `ordinal` to `end` has a smaller index.
  int64_t least_index(int64_t ordinal, int64_t end) const;
  // How many elements from `ordinal` on lie packed in every operand, and where.
  int64_t packed(int64_t ordinal, Pointers& where) const;
  // Copies `elements` from `ordinal` on to `buffers`, packed, and gives the buffers; with `in_place`, of an operand
  // that lies packed, where it lies.
  Pointers gather(int64_t ordinal, int64_t elements, const Buffers& buffers, bool in_place) const;

 private:
  friend std::vector<Walk> walks(const Sizes& sizes, std::span<const WalkOperand> operands);

  struct Loop {
    int64_t size = 1;
    int64_t index_step = 0;
    std::array<int64_t, kOperandsMax> steps{};  // in bytes
  };

  void place(const std::vector<Loop>& loops, int64_t ordinal, std::vector<int64_t>& coordinates) const;
  void gather_runs(int64_t ordinal, int64_t elements, const Buffers& buffers) const;
  void copy_run(size_t operand, const std::byte* from, int64_t elements, std::byte* to) const;
  void finish();
  void lengthen_runs();
  size_t slab_loop() const;
  Walk slab(size_t loop, int64_t from, int64_t width) const;

  std::vector<Loop> loops_;   // outermost first
  std::vector<Loop> copied_;  // the same, adjacent ones joined where one stride does for both
  int64_t count_ = 1, first_index_ = 0;
  bool in_order_ = true;
  size_t operands_ = 0;
  Pointers first_{};
  std::array<size_t, kOperandsMax> bytes_{};
};

// The walks that together visit every element once: one, or one a slab.
std::vector<Walk> walks(const Sizes& sizes, std::span<const WalkOperand> operands);

}  // namespace faultline
