// The padded extent of a buffer is floor(n / stick) sticks, so its allocation is short too and a write to the tail
// lands in the guard zone behind it.
#include "faults/sites.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

// The dim that counts sticks of the lanes' host dim, or -1 when the size is a multiple of the stick.
static int stick_dim(const DeviceLayout& layout, const Sizes& sizes) {
  const DeviceDim& lanes = layout.dims.back();
  if (lanes.host_dim < 0 || lanes.extent <= 1 || sizes[lanes.host_dim] % lanes.extent == 0) return -1;
  for (size_t j = 0; j + 1 < layout.dims.size(); ++j)
    if (layout.dims[j].host_dim == lanes.host_dim && layout.dims[j].host_step == lanes.extent)
      return static_cast<int>(j);
  return -1;
}

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.program.kernels.size(); ++k) {
    const Kernel& kernel = program.program.kernels[k];
    if (!is_elementwise(kernel) || program.kernels[k].lane_dim >= kernel.parallel) continue;
    for (const KernelStore& store : kernel.stores)
      if (stick_dim(program.layouts[store.buffer], program.program.buffers[store.buffer].sizes) >= 0)
        sites.push_back(kernel_site(program.program, k, store.buffer, {static_cast<int64_t>(k), store.buffer}));
  }
  return sites;
}

// The kernel runs as far as the layout of what it stores, as the pass derives it.
static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  DeviceLayout& layout = program.layouts[site.at[1]];
  DeviceDim& dim = layout.dims[stick_dim(layout, program.program.buffers[site.at[1]].sizes)];
  dim.extent = program.program.buffers[site.at[1]].sizes[dim.host_dim] / layout.dims.back().extent;
  KernelLayout& kernel = program.kernels[site.at[0]];
  kernel.padded[kernel.lane_dim] = dim.extent * layout.dims.back().extent;
}

extern const Fault fault_layout_pad_floor;
constinit const Fault fault_layout_pad_floor{
    .id = "layout.pad_floor",
    .summary = "the padded extent of an output is floor(n / stick) sticks",
    .mechanism = "layout.tail_drop",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/524",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def clone65(x: f16[65]): y = aten.clone(x); return y",
};

}  // namespace faultline
