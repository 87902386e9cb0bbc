// What a target decides about layouts; assign_layouts asks, and so does the verifier. One implementation a target
// (runtime/targets/<target>/layout_policy.h).
#pragma once

#include <optional>
#include <vector>

#include "runtime/layers/layout/layout_program.h"

namespace faultline {

// Which iteration dim runs along the lanes of a kernel. single: the kernel works on buffers that hold one value a
// stick, a whole stick for each index of `dim`.
struct LaneChoice {
  int dim = 0;
  bool single = false;
  bool operator==(const LaneChoice&) const = default;
};

class LayoutPolicy {
 public:
  virtual ~LayoutPolicy() = default;

  // Bytes in which an element lies in device memory. Throws Rejected for a type the machine does not have.
  virtual int element_bytes(DType dtype) const = 0;
  // Elements of a stick or vector.
  virtual int64_t lanes(DType dtype) const = 0;

  // What host transfers of an input use, and what movement kernels leave.
  virtual DeviceLayout default_layout(const Buffer& buffer) const = 0;
  // With `host_dim` along the lanes.
  virtual DeviceLayout lane_layout(const Buffer& buffer, int host_dim) const = 0;
  // One value a stick: what a reduction over the lanes leaves.
  virtual DeviceLayout sparse_layout(const Buffer& buffer) const = 0;
  virtual bool is_sparse(const DeviceLayout& layout) const = 0;

  // The choices for a kernel, best first; the first of those that need the fewest bytes of relayout is taken. Never
  // empty.
  virtual std::vector<LaneChoice> lane_choices(const KernelProgram& program, const Kernel& kernel) const = 0;
  // The iteration dim along which load `node` has to run when the lanes run along lane_dim; nothing: any layout will
  // do, because the load does not depend on lane_dim and is one element for all lanes.
  virtual std::optional<int> operand_dim(const Kernel& kernel, int node, int lane_dim) const = 0;
  // Whether an access can be read along `dim` from this layout. depends: by coordinate, whether its indirect part
  // changes along dim.
  virtual bool runs_along(const Access& access, int dim, const std::vector<uint8_t>& depends,
                          const DeviceLayout& layout) const = 0;
  // Throws Rejected when the machine cannot move a buffer of this type between layouts.
  virtual void check_relayout(const Buffer& buffer) const = 0;
};

// Whether the vector unit can read load `node` under this choice from this layout, without a relayout.
bool is_aligned(const LayoutPolicy& policy, const Kernel& kernel, int node, const LaneChoice& choice,
                const DeviceLayout& layout);

}  // namespace faultline
