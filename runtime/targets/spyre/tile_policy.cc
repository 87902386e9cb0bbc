// The order of the three steps is torch-spyre's (https://github.com/torch-spyre/torch-spyre, docs on work division).
#include "runtime/targets/spyre/tile_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "runtime/base/error.h"
#include "runtime/layers/layout/lane_access.h"
#include "runtime/targets/spyre/cost_model.h"

namespace faultline::spyre {

static_assert(kLxUsableBytes == 1625344);
static_assert(kSpanLimitBytes == 268431360);

SpyreTilePolicy::SpyreTilePolicy(const TileOptions& options) : options_(options) {
  if (options.cores < 1 || options.cores > 32) {
    throw UserError(fmt::format("spyre: cores is {} when it should be 1 to 32", options.cores));
  }
}

namespace {

int64_t largest_divisor(int64_t number, int64_t limit) {
  int64_t divisor = std::min(number, limit);
  while (number % divisor != 0) --divisor;
  return divisor;
}

class Division {
 public:
  Division(const LayoutProgram& program, int kernel, int cores)
      : program_(program),
        kernel_(program.program.kernels[kernel]),
        layout_(program.kernels[kernel]),
        cores_(cores),
        splits_(kernel_.extents.size(), 1) {}

  std::vector<int64_t> take() {
    reduce_span();
    if (kernel_.kernel_class == KernelClass::contraction) divide_matmul();
    divide_greedily();
    return splits_;
  }

 private:
  int64_t units(int dim) const { return unit_count(layout_, dim); }
  int64_t spare_cores() const {
    return cores_ / std::accumulate(splits_.begin(), splits_.end(), int64_t{1}, std::multiplies<>());
  }

  // Sticks along K of a contraction that may go to different cores: whole ones only, for a masked dim may not be
  // divided.
  int64_t reduction_sticks(int dim) const {
    if (layout_.padded[dim] != layout_.valid[dim]) return 1;
    return layout_.padded[dim] % layout_.lanes == 0 ? layout_.padded[dim] / layout_.lanes : 1;
  }

  bool within_span(const std::vector<int64_t>& splits) const {
    const Box box = core_box(layout_, splits);
    const auto fits = [&](const Access& access) {
      const DeviceLayout& layout = program_.layouts[access.buffer];
      return span_bytes(footprint(access, layout, program_.program.buffers[access.buffer].sizes, box), layout) <=
             kSpanLimitBytes;
    };
    for (const ScalarNode& node : kernel_.nodes) {
      if (node.kind == ScalarNode::Kind::load && !fits(node.access)) return false;
    }
    for (size_t s = 0; s < kernel_.stores.size(); ++s) {
      if (!fits(store_access(kernel_, static_cast<int>(s)))) return false;
    }
    return true;
  }

  // The fewest splits of one output dim that keep every tensor within the span; of two dims where one does not do.
  void reduce_span() {
    if (within_span(splits_)) return;
    std::vector<int64_t> best;
    int64_t least = cores_ + 1;
    for (int a = 0; a < kernel_.parallel; ++a) {
      for (int b = a; b < kernel_.parallel; ++b) {
        for (int64_t s = 1; s <= cores_ && s <= units(a); ++s) {
          for (int64_t t = 1; s * t < least && t <= units(b) && (a != b || t == 1); ++t) {
            if (units(a) % s != 0 || units(b) % t != 0) continue;
            std::vector<int64_t> trial = splits_;
            trial[a] = s;
            trial[b] *= t;
            if (!within_span(trial)) continue;
            best = trial;
            least = s * t;
          }
        }
      }
    }
    if (!best.empty()) splits_ = best;
  }

  // Batch dims first, as many cores as they take; then the cheapest division of rows, columns and K over the rest.
  void divide_matmul() {
    const int column = kernel_.parallel - 1, row = kernel_.parallel - 2;
    for (int d = 0; d < row; ++d) splits_[d] *= largest_divisor(units(d) / splits_[d], spare_cores());
    int k_dim = -1;
    for (int d = kernel_.parallel; d < static_cast<int>(splits_.size()); ++d) {
      if (kernel_.extents[d] != 1) k_dim = d;
    }
    const int64_t cores = spare_cores();
    const int64_t rows = row < 0 ? 1 : units(row) / splits_[row], columns = units(column) / splits_[column];
    const int64_t k_sticks = k_dim < 0 ? 1 : reduction_sticks(k_dim);
    MatmulShape shape;
    shape.m = row < 0 ? 1 : layout_.padded[row];
    shape.n = layout_.padded[column];
    shape.k = k_dim < 0 ? 1 : layout_.padded[k_dim];
    shape.weight_shared = weight_shared(row);
    MatmulSplit best;
    double least = -1;
    for (int64_t m = 1; m <= std::min(cores, rows); ++m) {
      for (int64_t n = 1; n * m <= cores && n <= columns; ++n) {
        for (int64_t k = 1; k * n * m <= cores && k <= k_sticks; ++k) {
          if (rows % m != 0 || columns % n != 0 || k_sticks % k != 0) continue;
          const double cost = split_cost(shape, {m, n, k}).total();
          if (least >= 0 && cost >= least) continue;
          least = cost;
          best = {m, n, k};
        }
      }
    }
    if (row >= 0) splits_[row] *= best.m;
    splits_[column] *= best.n;
    if (k_dim >= 0) splits_[k_dim] *= best.k;
  }

  // Whether what runs along the lanes, the right operand, is the same for the whole batch.
  bool weight_shared(int batch) const {
    for (const ScalarNode& node : kernel_.nodes) {
      if (node.kind != ScalarNode::Kind::load) continue;
      const std::vector<uint8_t> dims = access_dims(kernel_, node.access, node_dims(kernel_));
      const bool weight = dims[layout_.lane_dim] &&
                          std::any_of(dims.begin() + kernel_.parallel, dims.end(), [](uint8_t on) { return on != 0; });
      if (weight && std::any_of(dims.begin(), dims.begin() + std::max(batch, 0), [](uint8_t on) { return on != 0; }))
        return false;
    }
    return true;
  }

  // Output dims by decreasing size, each as far as cores are left.
  void divide_greedily() {
    std::vector<int> order(kernel_.parallel);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](int a, int b) { return units(a) > units(b); });
    if (kernel_.kernel_class == KernelClass::contraction) order.clear();
    for (const int d : order) splits_[d] *= largest_divisor(units(d) / splits_[d], spare_cores());
  }

  const LayoutProgram& program_;
  const Kernel& kernel_;
  const KernelLayout& layout_;
  int64_t cores_;
  std::vector<int64_t> splits_;
};

}  // namespace

std::vector<int64_t> SpyreTilePolicy::core_splits(const LayoutProgram& program, int kernel) const {
  return Division(program, kernel, options_.cores).take();
}

}  // namespace faultline::spyre
