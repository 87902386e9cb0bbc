// Default order by rank: [d1, ..., d(n-2), sticks of d(n-1), d0, one stick], as torch-spyre's tensors and layouts
// document gives it (https://github.com/torch-spyre/torch-spyre); other orders permute the dims first.
#include "runtime/targets/spyre/layout_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/layers/layout/lane_access.h"

namespace faultline::spyre {

static int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

DeviceLayout stick_layout(const Sizes& sizes, const std::vector<int>& order, int element_bytes) {
  const int64_t stick = kStickBytes / element_bytes;
  DeviceLayout layout;
  layout.element_bytes = element_bytes;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    if (std::find(order.begin(), order.end(), d) == order.end()) layout.dims.push_back({d, 1, 1, "mem"});
  }
  const int last = order.back();
  for (size_t k = 1; k + 1 < order.size(); ++k) layout.dims.push_back({order[k], 1, sizes[order[k]], "mem"});
  if (last != kSyntheticDim)
    layout.dims.push_back({last, stick, ceil_divide(sizes[last], stick), "mem"});
  else if (order.size() > 2)
    layout.dims.push_back({kSyntheticDim, 1, 1, "mem"});
  if (order.size() > 1) layout.dims.push_back({order[0], 1, sizes[order[0]], "mem"});
  layout.dims.push_back({last, 1, stick, "mem"});
  return layout;
}

// Dims of size other than 1, in order.
static std::vector<int> wide_dims(const Sizes& sizes) {
  std::vector<int> dims;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    if (sizes[d] != 1) dims.push_back(d);
  }
  return dims;
}

DeviceLayout SpyreLayoutPolicy::default_layout(const Buffer& buffer) const {
  std::vector<int> order = wide_dims(buffer.sizes);
  if (order.empty()) order.push_back(static_cast<int>(buffer.sizes.size()) - 1);
  return stick_layout(buffer.sizes, order, element_bytes(buffer.dtype));
}

DeviceLayout SpyreLayoutPolicy::lane_layout(const Buffer& buffer, int host_dim) const {
  std::vector<int> order = wide_dims(buffer.sizes);
  std::erase(order, host_dim);
  order.push_back(host_dim);
  return stick_layout(buffer.sizes, order, element_bytes(buffer.dtype));
}

DeviceLayout SpyreLayoutPolicy::sparse_layout(const Buffer& buffer) const {
  std::vector<int> order = wide_dims(buffer.sizes);
  if (order.empty()) order.push_back(static_cast<int>(buffer.sizes.size()) - 1);
  order.push_back(kSyntheticDim);
  return stick_layout(buffer.sizes, order, element_bytes(buffer.dtype));
}

bool SpyreLayoutPolicy::is_sparse(const DeviceLayout& layout) const {
  return layout.dims.back().host_dim == kSyntheticDim;
}

std::vector<LaneChoice> SpyreLayoutPolicy::lane_choices(const KernelProgram& program, const Kernel& kernel) const {
  const Buffer& stored = program.buffers[kernel.stores.front().buffer];
  const int usual = default_layout(stored).dims.back().host_dim;
  if (kernel.kernel_class == KernelClass::movement) return {{usual, false}};
  // C has N along the sticks; the last dim of a matmul's result, even when it is 1 wide.
  if (kernel.kernel_class == KernelClass::contraction) return {{kernel.parallel - 1, false}};
  std::vector<LaneChoice> choices;
  const int rank = static_cast<int>(kernel.extents.size());
  for (int d = rank; d-- > kernel.parallel;) {
    if (kernel.extents[d] != 1) choices.push_back({d, false});
  }
  if (kernel.extents[usual] != 1 || choices.empty()) choices.push_back({usual, false});
  for (int d = kernel.parallel; d-- > 0;) {
    if (d != usual && kernel.extents[d] != 1) choices.push_back({d, false});
  }
  choices.push_back({usual, true});
  return choices;
}

// What a contraction reads the same for all lanes is fed to the array along K, so its sticks lie along K.
std::optional<int> SpyreLayoutPolicy::operand_dim(const Kernel& kernel, int node, int lane_dim) const {
  const std::vector<uint8_t> depends = access_dims(kernel, kernel.nodes[node].access, node_dims(kernel));
  if (depends[lane_dim]) return lane_dim;
  if (kernel.kernel_class != KernelClass::contraction) return std::nullopt;
  for (int d = static_cast<int>(kernel.extents.size()); d-- > kernel.parallel;) {
    if (depends[d]) return d;
  }
  return std::nullopt;
}

bool SpyreLayoutPolicy::runs_along(const Access& access, int dim, const std::vector<uint8_t>& depends,
                                   const DeviceLayout& layout) const {
  return runs_along_rows(access, dim, depends, layout);
}

void SpyreLayoutPolicy::check_relayout(const Buffer& buffer) const {
  if (restickify_ == Restickify::any || element_bytes(buffer.dtype) == 2) return;
  throw Rejected(std::string(name(buffer.dtype)),
                 fmt::format("Spyre backend does not support: restickify of {} ({})", name(buffer.dtype), buffer.name));
}

}  // namespace faultline::spyre
