// A sum over the lanes runs to the end of the last stick instead of to the last element, so whatever padding holds is
// added in.
#include "faults/sites.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.program.kernels.size(); ++k) {
    const Kernel& kernel = program.program.kernels[k];
    const KernelLayout& layout = program.kernels[k];
    if (!kernel.reduction || kernel.reduction->reduction != Reduction::sum || layout.lane_dim < kernel.parallel)
      continue;
    if (layout.padded[layout.lane_dim] > layout.valid[layout.lane_dim])
      sites.push_back(kernel_site(program.program, k, kernel.stores[0].buffer, {static_cast<int64_t>(k)}));
  }
  return sites;
}

static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  KernelLayout& layout = program.kernels[site.at[0]];
  layout.valid[layout.lane_dim] = layout.padded[layout.lane_dim];
}

extern const Fault fault_layout_mask_ignored;
constinit const Fault fault_layout_mask_ignored{
    .id = "layout.mask_ignored",
    .summary = "a sum over the stick includes the padding of the last stick",
    .mechanism = "layout.pad_dirty",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1706",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.mean.dim(x, [1]); return y",
};

}  // namespace faultline
