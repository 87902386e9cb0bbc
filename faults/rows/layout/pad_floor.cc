// The padded extent of a buffer is floor(n / stick) sticks, so its allocation is short too and a write to the tail
// lands in the guard zone behind it.
#include "faults/layout_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (FaultSite& site : stick_stores(program)) {
    const int buffer = static_cast<int>(site.at[1]);
    if (stick_size(program, buffer) % program.layouts[buffer].dims.back().extent != 0) sites.push_back(std::move(site));
  }
  return sites;
}

// The kernel runs as far as the layout of what it stores, which may be nowhere.
static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  const int buffer = static_cast<int>(site.at[1]);
  DeviceLayout& layout = program.layouts[buffer];
  const int64_t stick = layout.dims.back().extent, sticks = stick_size(program, buffer) / stick;
  layout.dims[stick_dim(layout)].extent = sticks;
  KernelLayout& kernel = program.kernels[site.at[0]];
  kernel.padded[kernel.lane_dim] = sticks * stick;
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
