// The operation that joins partial results is another than the reduction's: the least for the greatest, a sum for a
// product.
#include "faults/sites.h"

namespace faultline {

// The operation taken for this one. Sums have none that keeps the type and is no other reduction by accident; any and
// all agree too often.
static std::optional<Reduction> mistaken_for(Reduction reduction) {
  switch (reduction) {
    case Reduction::max: return Reduction::min;
    case Reduction::min: return Reduction::max;
    case Reduction::argmax: return Reduction::argmin;
    case Reduction::argmin: return Reduction::argmax;
    case Reduction::prod: return Reduction::sum;
    default: return std::nullopt;
  }
}

static int64_t reduced_elements(const Kernel& kernel) {
  int64_t count = 1;
  for (size_t d = static_cast<size_t>(kernel.parallel); d < kernel.extents.size(); ++d) count *= kernel.extents[d];
  return count;
}

// An extreme that stays inside may be there only to keep exponentials in range, where any number will do.
static bool matters(const KernelProgram& program, const Kernel& kernel) {
  const Reduction reduction = kernel.reduction->reduction;
  if (reduction != Reduction::max && reduction != Reduction::min) return true;
  return program.buffers[kernel.stores[0].buffer].role == BufferRole::output;
}

static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    if (!kernel.reduction || !mistaken_for(kernel.reduction->reduction) || reduced_elements(kernel) < 2) continue;
    if (matters(program, kernel))
      sites.push_back(kernel_site(program, k, kernel.stores[0].buffer, {static_cast<int64_t>(k)}));
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  Reduction& reduction = program.kernels[site.at[0]].reduction->reduction;
  reduction = *mistaken_for(reduction);
}

extern const Fault fault_fuse_combine_op;
constinit const Fault fault_fuse_combine_op{
    .id = "fuse.combine_op",
    .summary = "partial results of a reduction are joined by another operation",
    .mechanism = "fuse.combine",
    .origin = "https://github.com/xtensor-stack/xtensor/issues/2550",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.amax(x, [1]); return y",
};

}  // namespace faultline
