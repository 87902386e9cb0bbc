// What a target decides about work division and scratch memory. One implementation a target
// (runtime/targets/<target>/tile_policy.h).
#pragma once

#include <vector>

#include "runtime/layers/tile/tile_program.h"

namespace faultline {

class TilePolicy {
 public:
  virtual ~TilePolicy() = default;

  virtual int cores() const = 0;
  virtual int64_t scratch_bytes() const = 0;  // that a plan may use, per core
  virtual int64_t scratch_alignment() const = 0;
  // Bytes of one buffer, first to last, that one core may touch; 0: no limit.
  virtual int64_t span_limit() const { return 0; }
  // Whether buffers may stay in scratch between kernels.
  virtual bool residency() const { return false; }
  // Whether operands of kernels with several tiles a core get two buffers where there is room.
  virtual bool double_buffer() const { return false; }

  // Into how many cores each iteration dim is divided: a divisor of its sticks along the lane dim, of its padded extent
  // along any other; the product is at most cores(). At most one reduction dim, of a contraction, may have more than 1.
  virtual std::vector<int64_t> core_splits(const LayoutProgram& program, int kernel) const = 0;
};

// Units in which dim d of a kernel is divided: sticks along the lane dim, else iteration points; and how many there
// are. From the layout's extents, which are whole sticks already.
int64_t unit_points(const KernelLayout& layout, int dim);
int64_t unit_count(const KernelLayout& layout, int dim);
// A box of a kernel's iteration space that one core holds under these splits: the first core's.
Box core_box(const KernelLayout& layout, const std::vector<int64_t>& splits);

}  // namespace faultline
