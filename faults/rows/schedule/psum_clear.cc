// The instruction that finishes a sum clears the accumulators first, so what the tiles and cores before it have added
// up is gone.
#include "faults/machine_edit.h"

namespace faultline {

static bool finishes(const Kernel&, const Compute& compute) { return !compute.first && compute.last; }

static std::vector<FaultSite> applies(const MachineProgram& program) { return sum_sites(program, finishes); }

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  program.launches[site.at[0]].computes[site.at[1]].first = true;
}

extern const Fault fault_schedule_psum_clear;
constinit const Fault fault_schedule_psum_clear{
    .id = "schedule.psum_clear",
    .summary = "the instruction that finishes a sum clears it first",
    .mechanism = "schedule.opcode",
    .origin = "https://docs.nvidia.com/cuda/parallel-thread-execution",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,256], w: f16[256,7]): y = aten.mm(x, w); return y",
};

}  // namespace faultline
