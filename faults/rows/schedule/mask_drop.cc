// The mask of the last, partly filled stick of a sum is not emitted: the instruction adds up all its lanes.
#include "faults/machine_edit.h"

namespace faultline {

static bool is_masked(const Kernel& kernel, const Compute& compute) {
  const int dim = compute.lane_dim;
  return dim >= kernel.parallel && compute.box.end[dim] > compute.valid[dim];
}

static std::vector<FaultSite> applies(const MachineProgram& program) { return sum_sites(program, is_masked); }

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
