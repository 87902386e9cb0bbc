// Sticks of a layout, and kernels that follow from it.
#include "faults/layout_edit.h"

#include <algorithm>

namespace faultline {

int stick_dim(const DeviceLayout& layout) {
  const DeviceDim& lanes = layout.dims.back();
  if (lanes.host_dim < 0 || lanes.extent <= 1) return -1;
  for (size_t j = 0; j + 1 < layout.dims.size(); ++j)
    if (layout.dims[j].host_dim == lanes.host_dim && layout.dims[j].host_step == lanes.extent)
      return static_cast<int>(j);
  return -1;
}

int64_t stick_size(const LayoutProgram& program, int buffer) {
  return program.program.buffers[buffer].sizes[program.layouts[buffer].dims.back().host_dim];
}

std::vector<FaultSite> stick_stores(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.program.kernels.size(); ++k) {
    const Kernel& kernel = program.program.kernels[k];
    if (!is_elementwise(kernel) || program.kernels[k].lane_dim >= kernel.parallel) continue;
    for (const KernelStore& store : kernel.stores)
      if (stick_dim(program.layouts[store.buffer]) >= 0)
        sites.push_back(kernel_site(program.program, k, store.buffer, {static_cast<int64_t>(k), store.buffer}));
  }
  return sites;
}

void refit_kernels(LayoutProgram& program, int buffer) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.program.kernels[k];
    const bool uses = std::any_of(kernel.stores.begin(), kernel.stores.end(),
                                  [&](const KernelStore& store) { return store.buffer == buffer; }) ||
                      std::any_of(kernel.nodes.begin(), kernel.nodes.end(), [&](const ScalarNode& node) {
                        return node.kind == ScalarNode::Kind::load && node.access.buffer == buffer;
                      });
    if (uses) program.kernels[k].padded = padded_extents(program, static_cast<int>(k));
  }
}

}  // namespace faultline
