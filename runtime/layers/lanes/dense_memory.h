// Lane memory over dense logical arrays, one a buffer of a KernelProgram: what the reference executor of fuse reads and
// writes.
//
// A coordinate outside the buffer takes the fill; without a fill the row-major address decides, as it would in a real
// array, and an address outside the array reads as poison of that buffer.
#pragma once

#include <algorithm>
#include <array>

#include "runtime/layers/fuse/affine.h"
#include "runtime/layers/lanes/evaluate.h"

namespace faultline {

// Values of every buffer in row-major order of its sizes.
template <class D>
using DenseBuffers = std::vector<std::vector<typename D::Value>>;

template <class D>
class DenseMemory : public LaneMemory<D> {
 public:
  using Value = typename D::Value;

  // Keeps references to all three.
  DenseMemory(const KernelProgram& program, const Kernel& kernel, D& domain, DenseBuffers<D>& buffers)
      : program_(program), kernel_(kernel), domain_(domain), buffers_(buffers) {
    for (const Buffer& buffer : program.buffers) strides_.push_back(contiguous_strides(buffer.sizes));
    size_t rank = kernel.extents.size();
    for (const Buffer& buffer : program.buffers) rank = std::max(rank, buffer.sizes.size());
    for (std::vector<int64_t>* scratch : {&index_, &start_, &step_}) scratch->resize(rank);
  }

  void load(int node, const int64_t* index, int lane_dim, int lanes, const Value* const* indirect, const Value* fill,
            Value* out) override {
    const Access& access = kernel_.nodes[node].access;
    std::copy(index, index + kernel_.extents.size(), index_.begin());
    const bool regular = find_steps(access, lane_dim);
    if (regular && !indirect && load_straight(access.buffer, lanes, out)) return;
    const std::vector<Value>& values = buffers_[access.buffer];
    const Sizes& sizes = program_.buffers[access.buffer].sizes;
    const std::vector<int64_t>& strides = strides_[access.buffer];
    for (int k = 0; k < lanes; ++k) {
      if (!regular) index_[lane_dim] = index[lane_dim] + k;
      int64_t flat = 0;
      bool inside = true;
      for (size_t c = 0; c < access.coordinates.size(); ++c) {
        const Coordinate& coordinate = access.coordinates[c];
        int64_t place = regular ? start_[c] + k * step_[c] : coordinate.affine.at(index_);
        if (coordinate.indirect >= 0) place += domain_.to_integer(indirect[c][k]);
        inside = inside && place >= 0 && place < sizes[c];
        flat += place * strides[c];
      }
      if (!inside && fill)
        out[k] = fill[k];
      else if (flat >= 0 && flat < static_cast<int64_t>(values.size()))
        out[k] = values[static_cast<size_t>(flat)];
      else
        out[k] = poison(access.buffer);
    }
  }

  void store(int store, const int64_t* index, int lane_dim, int lanes, const Value* values) override {
    const int buffer = kernel_.stores[store].buffer;
    int64_t flat = 0;
    for (int d = 0; d < kernel_.parallel; ++d) flat += index[d] * strides_[buffer][d];
    const int64_t step = lane_dim < kernel_.parallel ? strides_[buffer][lane_dim] : 0;
    for (int k = 0; k < lanes; ++k) {
      const int64_t place = flat + k * step;
      if (place >= 0 && place < static_cast<int64_t>(buffers_[buffer].size()))
        buffers_[buffer][static_cast<size_t>(place)] = values[k];
    }
  }

  // The value of memory that nobody wrote.
  Value poison(int buffer) {
    const DType dtype = program_.buffers[buffer].dtype;
    std::vector<typename D::Cell> cells;
    for (int byte = 0; byte < domain_.element_bytes(dtype); ++byte) cells.push_back(domain_.poison_cell(buffer, byte));
    return domain_.load(cells.data(), dtype);
  }

 private:
  // Each coordinate's value at the first lane and its step to the next; false when some coordinate has no constant
  // step.
  bool find_steps(const Access& access, int lane_dim) {
    for (size_t c = 0; c < access.coordinates.size(); ++c) {
      const std::optional<int64_t> step = step_along(access.coordinates[c].affine, lane_dim);
      if (!step) return false;
      start_[c] = access.coordinates[c].affine.at(index_);
      step_[c] = *step;
    }
    return true;
  }

  // All lanes inside the buffer and a constant step apart: false, and nothing done, when they are not.
  bool load_straight(int buffer, int lanes, Value* out) const {
    const Sizes& sizes = program_.buffers[buffer].sizes;
    int64_t flat = 0, step = 0;
    for (size_t c = 0; c < sizes.size(); ++c) {
      const int64_t last = start_[c] + (lanes - 1) * step_[c];
      if (start_[c] < 0 || start_[c] >= sizes[c] || last < 0 || last >= sizes[c]) return false;
      flat += start_[c] * strides_[buffer][c];
      step += step_[c] * strides_[buffer][c];
    }
    const Value* from = buffers_[buffer].data() + flat;
    if (step == 1)
      std::copy(from, from + lanes, out);
    else
      for (int k = 0; k < lanes; ++k) out[k] = from[k * step];
    return true;
  }

  const KernelProgram& program_;
  const Kernel& kernel_;
  D& domain_;
  DenseBuffers<D>& buffers_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<int64_t> index_, start_, step_;
};

}  // namespace faultline
