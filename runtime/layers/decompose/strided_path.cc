// The base is laid flat in memory order; then each dim of the window, from the largest stride down, cuts the last dim
// into rows of that stride and goes on inside a row.
#include "runtime/layers/decompose/strided_path.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

class PathMaker {
 public:
  PathMaker(const TensorType& base, const TensorType& window) : base_(base), window_(window), sizes_(base.sizes) {}

  std::optional<std::vector<ViewStep>> make() {
    if (!is_dense(base_)) return std::nullopt;
    lay_flat();
    for (size_t d = 0; d < window_.sizes.size(); ++d)
      if (window_.sizes[d] != 1 && window_.strides[d] != 0) dims_.push_back(static_cast<int64_t>(d));
    std::stable_sort(dims_.begin(), dims_.end(),
                     [&](int64_t a, int64_t b) { return window_.strides[a] > window_.strides[b]; });
    int64_t first = window_.offset - base_.offset;
    for (size_t k = 0; k < dims_.size(); ++k)
      if (!cut(k, &first)) return std::nullopt;
    if (dims_.empty() && !slice_last(first, 1, 1)) return std::nullopt;
    arrange();
    return std::move(steps_);
  }

 private:
  void step(ViewStep next) {
    sizes_ = next.to;
    steps_.push_back(std::move(next));
  }

  void lay_flat() {
    std::vector<int64_t> order(sizes_.size());
    std::iota(order.begin(), order.end(), 0);
    // Dims of size 1 go first, as their strides say nothing.
    const auto stride = [&](int64_t d) {
      return base_.sizes[d] == 1 ? std::numeric_limits<int64_t>::max() : base_.strides[d];
    };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
    if (!std::is_sorted(order.begin(), order.end())) step(permute_step(sizes_, order));
    step(reshape_step(sizes_, {element_count(sizes_)}));
  }

  bool slice_last(int64_t low, int64_t count, int64_t stride) {
    const int last = static_cast<int>(sizes_.size()) - 1;
    if (low < 0 || low + (count - 1) * stride >= sizes_[last]) return false;
    if (low != 0 || stride != 1 || count != sizes_[last]) step(slice_step(sizes_, last, low, count, stride));
    return true;
  }

  // Dim `k` of the sorted dims, in the last dim of what the path shows so far; `first` is where element 0 lies in it.
  bool cut(size_t k, int64_t* first) {
    const int64_t size = window_.sizes[dims_[k]], stride = window_.strides[dims_[k]];
    if (k + 1 == dims_.size()) return slice_last(*first, size, stride);
    int64_t inside = 1;
    for (size_t other = k + 1; other < dims_.size(); ++other)
      inside += (window_.sizes[dims_[other]] - 1) * window_.strides[dims_[other]];
    const int64_t shift = std::max<int64_t>(0, *first + size * stride - sizes_.back());
    if (shift > *first || shift + inside > stride) return false;
    if (!slice_last(*first - shift, size * stride, 1)) return false;
    Sizes rows = sizes_;
    rows.back() = size;
    rows.push_back(stride);
    step(reshape_step(sizes_, rows));
    *first = shift;
    return true;
  }

  // From the sorted dims to the window's own order, with its dims of size 1 and stride 0.
  void arrange() {
    std::vector<int64_t> axes(dims_.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::sort(axes.begin(), axes.end(), [&](int64_t a, int64_t b) { return dims_[a] < dims_[b]; });
    if (!std::is_sorted(axes.begin(), axes.end())) step(permute_step(sizes_, axes));
    Sizes with_ones = window_.sizes;
    for (size_t d = 0; d < with_ones.size(); ++d)
      if (window_.strides[d] == 0) with_ones[d] = 1;
    if (sizes_ != with_ones) step(reshape_step(sizes_, with_ones));
    if (with_ones != window_.sizes) step(expand_step(with_ones, window_.sizes));
  }

  const TensorType& base_;
  const TensorType& window_;
  Sizes sizes_;
  std::vector<int64_t> dims_;
  std::vector<ViewStep> steps_;
};

}  // namespace

std::optional<std::vector<ViewStep>> strided_path(const TensorType& base, const TensorType& window) {
  if (base.dtype != window.dtype) return std::nullopt;
  if (base == window) return std::vector<ViewStep>{};
  if (element_count(window.sizes) == 0 || element_count(base.sizes) == 0) return std::nullopt;
  return PathMaker(base, window).make();
}

}  // namespace faultline
