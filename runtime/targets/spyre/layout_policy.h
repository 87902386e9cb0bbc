// Layouts of Spyre (docs/sources.md, Spyre: layouts and transfers): the innermost device dim is one 128-byte stick; the
// other dims follow from the rank. Dims of size 1 change nothing.
#pragma once

#include "runtime/layers/layout/layout_policy.h"
#include "runtime/numerics/arithmetic.h"

namespace faultline::spyre {

inline constexpr int64_t kStickBytes = 128;  // https://github.com/torch-spyre/torch-spyre, docs on tensors and layouts

// The layout of a tensor of these sizes whose dims come in this order, the last one along the sticks; a trailing
// kSyntheticDim: one value a stick. `order` names dims of size other than 1; the others become device dims of extent 1,
// outermost.
DeviceLayout stick_layout(const Sizes& sizes, const std::vector<int>& order, int element_bytes);

// What restickify moves. The real stack takes two-byte elements alone (https://github.com/torch-spyre/torch-spyre),
// which leaves it without any f32 program that reads a matrix across its sticks; `any` lets the move unit take the
// others as well.
enum class Restickify : uint8_t { any, two_byte };

class SpyreLayoutPolicy final : public LayoutPolicy {
 public:
  // `arithmetic` says how types are stored; it must outlive the policy.
  explicit SpyreLayoutPolicy(const Arithmetic& arithmetic, Restickify restickify = Restickify::two_byte)
      : arithmetic_(arithmetic), restickify_(restickify) {}

  int element_bytes(DType dtype) const override { return byte_size(arithmetic_.storage_format(dtype)); }
  int64_t lanes(DType dtype) const override { return kStickBytes / element_bytes(dtype); }
  DeviceLayout default_layout(const Buffer& buffer) const override;
  DeviceLayout lane_layout(const Buffer& buffer, int host_dim) const override;
  DeviceLayout sparse_layout(const Buffer& buffer) const override;
  bool is_sparse(const DeviceLayout& layout) const override;
  std::vector<LaneChoice> lane_choices(const KernelProgram& program, const Kernel& kernel) const override;
  std::optional<int> operand_dim(const Kernel& kernel, int node, int lane_dim) const override;
  bool runs_along(const Access& access, int dim, const std::vector<uint8_t>& depends,
                  const DeviceLayout& layout) const override;
  void check_relayout(const Buffer& buffer) const override;

 private:
  const Arithmetic& arithmetic_;
  Restickify restickify_;
};

}  // namespace faultline::spyre
