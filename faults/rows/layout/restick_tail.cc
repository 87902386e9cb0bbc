// A relayout turns whole sticks only: the elements behind the last whole stick of the new innermost dim stay where they
// were, and whoever reads the new layout finds there what memory held.
#include "faults/sites.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelLayout& layout = program.kernels[k];
    const Kernel& kernel = program.program.kernels[k];
    if (layout.relayout && layout.lanes > 1 && kernel.extents[layout.lane_dim] % layout.lanes != 0)
      sites.push_back(kernel_site(program.program, k, kernel.stores[0].buffer, {static_cast<int64_t>(k)}));
  }
  return sites;
}

static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  KernelLayout& layout = program.kernels[site.at[0]];
  const int64_t extent = program.program.kernels[site.at[0]].extents[layout.lane_dim];
  layout.padded[layout.lane_dim] = extent - extent % layout.lanes;
}

extern const Fault fault_layout_restick_tail;
constinit const Fault fault_layout_restick_tail{
    .id = "layout.restick_tail",
    .summary = "a relayout covers floor(n / stick) sticks of its new innermost dim",
    .mechanism = "layout.tail_drop",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1859",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[72,91], w: f16[91,72]): t = aten.t(x); y = aten.add.Tensor(t, w); return y",
};

}  // namespace faultline
