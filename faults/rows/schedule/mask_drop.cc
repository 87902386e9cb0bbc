// The mask of the last, partly filled stick of a sum is not emitted: the instruction adds up all its lanes.
#include "faults/machine_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    const Kernel& kernel = program.operations[launch.kernel];
    if (!kernel.reduction || kernel.reduction->reduction != Reduction::sum) continue;
    for (size_t c = 0; c < launch.computes.size(); ++c) {
      const Compute& compute = launch.computes[c];
      const int dim = compute.lane_dim;
      if (dim >= kernel.parallel && compute.box.end[dim] > compute.valid[dim])
        sites.push_back(
            launch_site(program, l, kernel.stores[0].buffer, -1, {static_cast<int64_t>(l), static_cast<int64_t>(c)}));
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  Compute& compute = program.launches[site.at[0]].computes[site.at[1]];
  compute.valid[compute.lane_dim] = compute.box.end[compute.lane_dim];
}

extern const Fault fault_schedule_mask_drop;
constinit const Fault fault_schedule_mask_drop{
    .id = "schedule.mask_drop",
    .summary = "a sum's instruction has no mask for the padding of its last stick",
    .mechanism = "schedule.mask",
    .origin = "https://github.com/pytorch/pytorch/issues/191499",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.sum.dim_IntList(x, [1]); return y",
};

}  // namespace faultline
