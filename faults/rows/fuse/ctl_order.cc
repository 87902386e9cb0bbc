// Control: two neighbouring kernels that do not depend on each other change places. Any order that respects uses is as
// good as another, so whoever accuses this raises a false alarm.
#include "faults/sites.h"

namespace faultline {

static bool reads(const Kernel& kernel, const Kernel& producer) {
  for (const ScalarNode& node : kernel.nodes)
    for (const KernelStore& store : producer.stores)
      if (node.kind == ScalarNode::Kind::load && node.access.buffer == store.buffer) return true;
  return false;
}

// Pairs that do not overlap, so that they may be struck together.
static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k + 1 < program.kernels.size(); ++k) {
    if (reads(program.kernels[k + 1], program.kernels[k])) continue;
    sites.push_back(kernel_site(program, k, program.kernels[k].stores[0].buffer, {static_cast<int64_t>(k)}));
    ++k;
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  std::swap(program.kernels[site.at[0]], program.kernels[site.at[0] + 1]);
}

extern const Fault fault_fuse_ctl_order;
constinit const Fault fault_fuse_ctl_order{
    .id = "fuse.ctl_order",
    .summary = "independent neighbouring kernels change places, legally",
    .mechanism = "fuse.missed",
    .origin = "constructed: a control; independent kernels may run in either order",
    .targets = "any",
    .expect = Expect::benign,
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67], y: f16[5,67]): a = aten.exp(x); b = aten.amax(y, [1]); return a, b",
};

}  // namespace faultline
