// Loops over strided tensors, innermost last.
#include "checkers/comparison/walk.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "runtime/base/error.h"

namespace faultline {

static constexpr int64_t kLineBytes = 64;   // beyond such a stride, neighbours share no cache line
static constexpr int64_t kSlabWidth = 32;   // elements of a slab's innermost dim: a line of 16-bit ones
static constexpr int64_t kSlabsMax = 4096;  // wider slabs rather than more
static constexpr int64_t kRunLeast = 16;

int64_t Walk::index(int64_t ordinal) const {
  int64_t index = first_index_;
  for (size_t i = loops_.size(); i-- > 0;) {
    index += ordinal % loops_[i].size * loops_[i].index_step;
    ordinal /= loops_[i].size;
  }
  return index;
}

void Walk::place(const std::vector<Loop>& loops, int64_t ordinal, std::vector<int64_t>& coordinates) const {
  coordinates.resize(loops.size());
  for (size_t i = loops.size(); i-- > 0;) {
    coordinates[i] = ordinal % loops[i].size;
    ordinal /= loops[i].size;
  }
}

int64_t Walk::least_index(int64_t ordinal, int64_t end) const {
  if (in_order_) return index(ordinal);
  std::vector<int64_t> from, to;
  place(loops_, ordinal, from);
  place(loops_, end - 1, to);
  // Loops inside the outermost one in which the two differ start anew between them.
  int64_t index = first_index_;
  for (size_t i = 0; i < loops_.size(); ++i) {
    index += from[i] * loops_[i].index_step;
    if (from[i] != to[i]) break;
  }
  return index;
}

int64_t Walk::packed(int64_t ordinal, Pointers& where) const {
  where = first_;
  if (copied_.empty()) return count_ - ordinal;
  const Loop& inner = copied_.back();
  for (size_t k = 0; k < operands_; ++k)
    if (inner.steps[k] != static_cast<int64_t>(bytes_[k])) return 0;
  const int64_t left = inner.size - ordinal % inner.size;
  for (size_t i = copied_.size(); i-- > 0;) {
    for (size_t k = 0; k < operands_; ++k) where[k] += ordinal % copied_[i].size * copied_[i].steps[k];
    ordinal /= copied_[i].size;
  }
  return left;
}

template <class T>
static void copy_strided(const std::byte* from, int64_t step, int64_t elements, std::byte* to) {
  for (int64_t i = 0; i < elements; ++i) std::memcpy(to + i * sizeof(T), from + i * step, sizeof(T));
}

void Walk::copy_run(size_t operand, const std::byte* from, int64_t elements, std::byte* to) const {
  const int64_t step = copied_.empty() ? 0 : copied_.back().steps[operand];
  const size_t bytes = bytes_[operand];
  if (step == static_cast<int64_t>(bytes)) {
    std::memcpy(to, from, static_cast<size_t>(elements) * bytes);
    return;
  }
  switch (bytes) {
    case 1: return copy_strided<uint8_t>(from, step, elements, to);
    case 2: return copy_strided<uint16_t>(from, step, elements, to);
    case 4: return copy_strided<uint32_t>(from, step, elements, to);
    default: return copy_strided<uint64_t>(from, step, elements, to);
  }
}

Walk::Pointers Walk::gather(int64_t ordinal, int64_t elements, const Buffers& buffers, bool in_place) const {
  Pointers found{};
  std::copy(buffers.begin(), buffers.end(), found.begin());
  Pointers from = first_;
  if (copied_.size() != 1) {
    gather_runs(ordinal, elements, buffers);
    return found;
  }
  for (size_t k = 0; k < operands_; ++k) {
    from[k] += ordinal * copied_[0].steps[k];
    if (in_place && copied_[0].steps[k] == static_cast<int64_t>(bytes_[k]))
      found[k] = from[k];
    else
      copy_run(k, from[k], elements, buffers[k]);
  }
  return found;
}

void Walk::gather_runs(int64_t ordinal, int64_t elements, const Buffers& buffers) const {
  Pointers from = first_;
  std::vector<int64_t> coordinates;
  place(copied_, ordinal, coordinates);
  for (size_t i = 0; i < copied_.size(); ++i)
    for (size_t k = 0; k < operands_; ++k) from[k] += coordinates[i] * copied_[i].steps[k];
  Buffers to = buffers;
  while (elements > 0) {
    const int64_t left = copied_.empty() ? 1 : copied_.back().size - coordinates.back();
    const int64_t run = std::min(left, elements);
    for (size_t k = 0; k < operands_; ++k) copy_run(k, from[k], run, to[k]);
    elements -= run;
    if (elements == 0) return;
    for (size_t k = 0; k < operands_; ++k) {
      to[k] += static_cast<size_t>(run) * bytes_[k];
      from[k] -= coordinates.back() * copied_.back().steps[k];
    }
    coordinates.back() = 0;
    for (size_t i = copied_.size() - 1; i-- > 0;) {  // the next coordinates
      const Loop& loop = copied_[i];
      const int64_t before = coordinates[i];
      coordinates[i] = before + 1 < loop.size ? before + 1 : 0;
      for (size_t k = 0; k < operands_; ++k) from[k] += (coordinates[i] - before) * loop.steps[k];
      if (coordinates[i] != 0) break;
    }
  }
}

void Walk::finish() {
  count_ = 1;
  in_order_ = true;
  int64_t step = 1;
  for (size_t i = loops_.size(); i-- > 0;) {
    count_ *= loops_[i].size;
    in_order_ = in_order_ && loops_[i].index_step >= step;
    step = loops_[i].index_step * loops_[i].size;
  }
  copied_.clear();
  for (const Loop& loop : loops_) {
    const bool joins =
        !copied_.empty() && std::equal(loop.steps.begin(), loop.steps.end(), copied_.back().steps.begin(),
                                       [&](int64_t inner, int64_t outer) { return outer == inner * loop.size; });
    if (!joins) {
      copied_.push_back(loop);
      continue;
    }
    copied_.back().size *= loop.size;
    copied_.back().steps = loop.steps;
  }
}

// The loop with the most elements among those whose elements share cache lines goes innermost, if what is there is
// short.
void Walk::lengthen_runs() {
  if (loops_.empty() || loops_.back().size >= kRunLeast) return;
  size_t best = loops_.size() - 1;
  for (size_t i = 0; i < loops_.size(); ++i) {
    const bool near = std::all_of(loops_[i].steps.begin(), loops_[i].steps.end(),
                                  [](int64_t step) { return step <= 4 * kLineBytes; });
    if (near && loops_[i].size > loops_[best].size) best = i;
  }
  std::rotate(loops_.begin() + static_cast<int64_t>(best), loops_.begin() + static_cast<int64_t>(best) + 1,
              loops_.end());
}

// The loop whose elements lie packed in an operand that jumps in the innermost loop; none: loops_.size().
size_t Walk::slab_loop() const {
  for (size_t k = 0; k < operands_; ++k) {
    if (loops_.empty() || loops_.back().steps[k] <= kLineBytes) continue;
    for (size_t i = 0; i + 1 < loops_.size(); ++i)
      if (loops_[i].steps[k] == static_cast<int64_t>(bytes_[k]) && loops_[i].size >= kRunLeast) return i;
  }
  return loops_.size();
}

Walk Walk::slab(size_t loop, int64_t from, int64_t width) const {
  Walk slab = *this;
  Loop inner = slab.loops_[loop];
  slab.loops_.erase(slab.loops_.begin() + static_cast<int64_t>(loop));
  for (size_t k = 0; k < operands_; ++k) slab.first_[k] += from * inner.steps[k];
  slab.first_index_ += from * inner.index_step;
  inner.size = std::min(width, inner.size - from);
  slab.loops_.push_back(inner);
  slab.finish();
  return slab;
}

std::vector<Walk> walks(const Sizes& sizes, std::span<const WalkOperand> operands) {
  FAULTLINE_CHECK(operands.size() <= kOperandsMax, std::to_string(operands.size()));
  Walk walk;
  walk.operands_ = operands.size();
  for (size_t k = 0; k < operands.size(); ++k) {
    walk.first_[k] = operands[k].first;
    walk.bytes_[k] = operands[k].bytes;
  }
  int64_t index_step = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] == 0) return {};
    Walk::Loop loop{sizes[dim], index_step, {}};
    for (size_t k = 0; k < operands.size(); ++k)
      loop.steps[k] = operands[k].strides[dim] * static_cast<int64_t>(operands[k].bytes);
    index_step *= sizes[dim];
    if (sizes[dim] != 1) walk.loops_.insert(walk.loops_.begin(), loop);
  }
  const auto span = [](const Walk::Loop& loop) { return std::accumulate(loop.steps.begin(), loop.steps.end(), 0L); };
  if (walk.loops_.size() > 1)
    std::stable_sort(walk.loops_.begin(), walk.loops_.end(),
                     [&](const Walk::Loop& a, const Walk::Loop& b) { return span(a) > span(b); });
  walk.finish();
  if (walk.copied_.size() > 1) {
    walk.lengthen_runs();
    walk.finish();
  }
  const size_t cut = walk.slab_loop();
  std::vector<Walk> slabs;
  if (cut == walk.loops_.size()) {
    slabs.push_back(std::move(walk));
    return slabs;
  }
  const int64_t size = walk.loops_[cut].size, width = std::max(kSlabWidth, size / kSlabsMax);
  for (int64_t from = 0; from < size; from += width) slabs.push_back(walk.slab(cut, from, width));
  return slabs;
}

}  // namespace faultline
