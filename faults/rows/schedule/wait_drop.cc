// The wait of a compute instruction for its operands is left out, so it reads scratch memory while the copies are still
// on their way.
#include "faults/machine_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l)
    for (const LoadSignal& load : load_signals(program.launches[l]))
      sites.push_back(
          launch_site(program, l, load.buffer, load.core, {static_cast<int64_t>(l), load.compute, load.wait}));
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  std::vector<Instruction>& instructions = program.launches[site.at[0]].streams[site.at[1]].instructions;
  instructions.erase(instructions.begin() + site.at[2]);
}

extern const Fault fault_schedule_wait_drop;
constinit const Fault fault_schedule_wait_drop{
    .id = "schedule.wait_drop",
    .summary = "a compute instruction does not wait for the copies of its operands",
    .mechanism = "schedule.sync",
    .origin = "https://github.com/triton-lang/triton/pull/8964",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
