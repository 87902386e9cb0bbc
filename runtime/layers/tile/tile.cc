// Loops of a kernel, outermost first: cores (reduction dim innermost, so that its cores are neighbours), sequential
// tiles (reduction dims innermost, so that one tile's sum is finished before the next begins), then what one tile
// holds; along the lane dim that is two loops, sticks and lanes. A sum is divided over cores only where each core holds
// its part in one tile of the parallel dims, since partial results wait in the core's accumulators until they are
// joined.
#include "runtime/layers/tile/tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/layers/tile/scratch_plan.h"

namespace faultline {

static int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t unit_points(const KernelLayout& layout, int dim) { return dim == layout.lane_dim ? layout.lanes : 1; }
int64_t unit_count(const KernelLayout& layout, int dim) {
  return std::max<int64_t>(ceil_divide(layout.padded[dim], unit_points(layout, dim)), 1);
}

Box core_box(const KernelLayout& layout, const std::vector<int64_t>& splits) {
  Box box{std::vector<int64_t>(splits.size(), 0), {}};
  for (size_t d = 0; d < splits.size(); ++d) {
    const int dim = static_cast<int>(d);
    box.end.push_back(std::min(unit_count(layout, dim) / splits[d] * unit_points(layout, dim), layout.valid[d]));
  }
  return box;
}

namespace {

class KernelTiler {
 public:
  KernelTiler(TileProgram& program, int kernel, const TilePolicy& policy)
      : program_(program),
        kernel_(kernel),
        policy_(policy),
        source_(program.layout.program.kernels[kernel]),
        layout_(program.layout.kernels[kernel]) {}

  void run() {
    splits_ = policy_.core_splits(program_.layout, kernel_);
    check_splits();
    check_span();
    place_operands();
    fit_or_refuse();
    if (shares_several_sums()) {
      for (size_t d = source_.parallel; d < splits_.size(); ++d) splits_[d] = 1;
      fit_or_refuse();
    }
    if (policy_.double_buffer()) double_buffers();
  }

 private:
  TileKernel& tiles() { return program_.kernels[kernel_]; }

  // The largest tiles that take no more than `capacity` bytes; false when the smallest take more.
  bool fit(int64_t capacity) {
    units_.clear();
    for (size_t d = 0; d < splits_.size(); ++d) units_.push_back(unit_count(layout_, static_cast<int>(d)) / splits_[d]);
    write(units_);
    while (bytes() > capacity)
      if (!shrink()) return false;
    return true;
  }

  void fit_or_refuse() {
    if (fit(policy_.scratch_bytes())) return;
    throw Rejected("capacity", fmt::format("the smallest tiles of kernel {} take {} bytes of scratch, there are {}",
                                           source_.name, bytes(), policy_.scratch_bytes()));
  }

  // Cores that share a sum can work on one only.
  bool shares_several_sums() { return tiles().reduction_core_loop >= 0 && parallel_tiles() > 1; }

  // Sums that a core works on, one after the other.
  int64_t parallel_tiles() {
    int64_t count = 1;
    for (const Loop& loop : tiles().loops) {
      if (loop.kind == LoopKind::sequential && loop.dim < source_.parallel) count *= loop.extent;
    }
    return count;
  }

  void check_splits() const {
    int64_t cores = 1;
    int reductions = 0;
    for (size_t d = 0; d < splits_.size(); ++d) {
      FAULTLINE_CHECK(unit_count(layout_, static_cast<int>(d)) % splits_[d] == 0, source_.name);
      cores *= splits_[d];
      reductions += static_cast<int>(d) >= source_.parallel && splits_[d] > 1;
    }
    FAULTLINE_CHECK(cores <= policy_.cores() && reductions <= 1, source_.name);
  }

  void check_span() const {
    if (policy_.span_limit() == 0) return;
    const Box box = core_box(layout_, splits_);
    for (const ScalarNode& node : source_.nodes) {
      if (node.kind != ScalarNode::Kind::load) continue;
      const int b = node.access.buffer;
      const DeviceLayout& layout = program_.layout.layouts[b];
      const int64_t span =
          span_bytes(footprint(node.access, layout, program_.layout.program.buffers[b].sizes, box), layout);
      if (span <= policy_.span_limit()) continue;
      throw Rejected("span", fmt::format("kernel {} spans {} bytes of {} on one core, the limit is {}", source_.name,
                                         span, program_.layout.program.buffers[b].name, policy_.span_limit()));
    }
  }

  void place_operands() {
    for (int n = 0; n < static_cast<int>(source_.nodes.size()); ++n) {
      if (source_.nodes[n].kind != ScalarNode::Kind::load) continue;
      OperandTile operand;
      operand.node = n;
      operand.buffer = source_.nodes[n].access.buffer;
      tiles().operands.push_back(operand);
    }
    for (int s = 0; s < static_cast<int>(source_.stores.size()); ++s) {
      OperandTile operand;
      operand.store = s;
      operand.buffer = source_.stores[s].buffer;
      tiles().operands.push_back(operand);
    }
  }

  // Loops for tiles of `units` units a dim, and the operands' extents that follow.
  void write(const std::vector<int64_t>& units) {
    TileKernel& kernel = tiles();
    kernel.loops.clear();
    kernel.reduction_core_loop = -1;
    const int rank = static_cast<int>(splits_.size());
    for (int d = 0; d < rank; ++d) {
      if (splits_[d] == 1) continue;
      const int64_t per_core = unit_count(layout_, d) / splits_[d] * unit_points(layout_, d);
      if (d >= source_.parallel) kernel.reduction_core_loop = static_cast<int>(kernel.loops.size());
      kernel.loops.push_back({d, splits_[d], per_core, LoopKind::core});
    }
    for (int d = 0; d < rank; ++d) {
      const int64_t tiles_here = ceil_divide(unit_count(layout_, d) / splits_[d], units[d]);
      if (tiles_here > 1)
        kernel.loops.push_back({d, tiles_here, units[d] * unit_points(layout_, d), LoopKind::sequential});
    }
    for (int d = 0; d < rank; ++d) {
      kernel.loops.push_back({d, units[d], unit_points(layout_, d), LoopKind::vector});
      if (d == layout_.lane_dim && layout_.lanes > 1) kernel.loops.push_back({d, layout_.lanes, 1, LoopKind::vector});
    }
    measure_operands();
  }

  void measure_operands() {
    TileKernel& kernel = tiles();
    for (OperandTile& operand : kernel.operands) {
      operand.extents.assign(program_.layout.layouts[operand.buffer].dims.size(), 0);
    }
    const int64_t cores = core_count(kernel);
    for (int64_t core = 0; core < cores; ++core) {
      for (const LoopPoint& point : tiles_of_core(kernel, core)) {
        for (OperandTile& operand : kernel.operands) {
          const DeviceBox box = operand_footprint(program_, kernel_, operand, point);
          for (size_t j = 0; j < box.extent.size(); ++j)
            operand.extents[j] = std::max(operand.extents[j], box.extent[j]);
        }
      }
    }
    for (OperandTile& operand : kernel.operands) {
      operand.bytes = program_.layout.layouts[operand.buffer].flat_element_bytes();
      for (const int64_t extent : operand.extents) operand.bytes *= extent;
    }
  }

  int64_t bytes() {
    int64_t total = 0;
    for (const OperandTile& operand : tiles().operands) total += ceil_divide(operand.bytes, alignment()) * alignment();
    return total;
  }
  int64_t alignment() const { return policy_.scratch_alignment(); }

  // The next smaller tile along a dim; a dim that is divided over cores is cut evenly, for a rest would reach into the
  // next core.
  int64_t next_smaller(int dim) const {
    if (splits_[dim] == 1) return ceil_divide(units_[dim], 2);
    int64_t units = units_[dim] / 2;
    while (units_[dim] % units != 0) --units;
    return units;
  }

  // Cuts the dim that leaves the fewest bytes; false when nothing is left to cut.
  bool shrink() {
    int best = -1;
    int64_t least = 0;
    for (int d = 0; d < static_cast<int>(units_.size()); ++d) {
      if (units_[d] == 1) continue;
      std::vector<int64_t> trial = units_;
      trial[d] = next_smaller(d);
      write(trial);
      if (best >= 0 && bytes() >= least) continue;
      best = d;
      least = bytes();
    }
    if (best >= 0) units_[best] = next_smaller(best);
    write(units_);
    return best >= 0;
  }

  // A core with several tiles gets room for two of them: tiles of half the scratch memory, where such tiles exist.
  void double_buffers() {
    if (tiles_of_core(tiles(), 0).size() < 2) return;
    if (2 * bytes() > policy_.scratch_bytes()) {
      const std::vector<int64_t> single = units_;
      if (!fit(policy_.scratch_bytes() / 2) || shares_several_sums()) {
        units_ = single;
        return write(units_);
      }
    }
    for (OperandTile& operand : tiles().operands) {
      operand.bytes = ceil_divide(operand.bytes, alignment()) * alignment();
      operand.buffers = 2;
    }
  }

  TileProgram& program_;
  int kernel_;
  const TilePolicy& policy_;
  const Kernel& source_;
  const KernelLayout& layout_;
  std::vector<int64_t> splits_, units_;
};

}  // namespace

TileProgram tile(const LayoutProgram& layout, const TilePolicy& policy) {
  TileProgram program;
  program.layout = layout;
  program.cores = policy.cores();
  program.scratch_bytes = policy.scratch_bytes();
  program.scratch_alignment = policy.scratch_alignment();
  program.kernels.resize(layout.kernels.size());
  for (int k = 0; k < static_cast<int>(layout.kernels.size()); ++k) KernelTiler(program, k, policy).run();
  plan_scratch(program, policy);
  return program;
}

}  // namespace faultline
