// The instruction that finishes a sum clears the accumulators first, so what the tiles and cores before it have added
// up is gone.
#include "faults/machine_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    const Kernel& kernel = program.operations[launch.kernel];
    if (!kernel.reduction || kernel.reduction->reduction != Reduction::sum) continue;
    for (size_t c = 0; c < launch.computes.size(); ++c)
      if (!launch.computes[c].first && launch.computes[c].last)
        sites.push_back(
            launch_site(program, l, kernel.stores[0].buffer, -1, {static_cast<int64_t>(l), static_cast<int64_t>(c)}));
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  program.launches[site.at[0]].computes[site.at[1]].first = true;
}

extern const Fault fault_schedule_psum_clear;
constinit const Fault fault_schedule_psum_clear{
    .id = "schedule.psum_clear",
    .summary = "the instruction that finishes a sum clears it first",
    .mechanism = "schedule.opcode",
    .origin = "documented hazard: the flag that clears accumulators is set for every tile instead of the first",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,256], w: f16[256,7]): y = aten.mm(x, w); return y",
};

}  // namespace faultline
