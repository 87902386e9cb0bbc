// A stick is taken for 64 elements where a 4-byte type has 32, so whole sticks are half counted and every second run of
// 32 elements has no place of its own: the first 32 elements are right, what follows is not.
#include "faults/layout_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (FaultSite& site : stick_stores(program)) {
    const int buffer = static_cast<int>(site.at[1]);
    const DeviceLayout& layout = program.layouts[buffer];
    if (layout.element_bytes == 4 && stick_size(program, buffer) > layout.dims.back().extent)
      sites.push_back(std::move(site));
  }
  return sites;
}

static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  const int buffer = static_cast<int>(site.at[1]);
  DeviceLayout& layout = program.layouts[buffer];
  DeviceDim& sticks = layout.dims[stick_dim(layout)];
  sticks.host_step = 2 * layout.dims.back().extent;
  sticks.extent = (stick_size(program, buffer) + sticks.host_step - 1) / sticks.host_step;
  refit_kernels(program, buffer);
}

extern const Fault fault_layout_eps_type;
constinit const Fault fault_layout_eps_type{
    .id = "layout.eps_type",
    .summary = "an output of a 4-byte type is laid out with the elements per stick of a 2-byte type",
    .mechanism = "layout.pack",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/165",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f32[67]): y = aten.relu(x); return y",
};

}  // namespace faultline
