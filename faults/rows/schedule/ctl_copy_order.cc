// Control: two copies in that one signal stands for change places. Either order is right, so whoever accuses this
// raises a false alarm.
#include "faults/machine_edit.h"

namespace faultline {

// Pairs of neighbours that do not overlap, so that they may be struck together.
static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    for (size_t s = 0; s < launch.streams.size(); ++s) {
      const std::vector<Instruction>& instructions = launch.streams[s].instructions;
      if (launch.streams[s].engine != Engine::load) continue;
      for (size_t i = 0; i + 1 < instructions.size(); ++i) {
        if (instructions[i].opcode != Opcode::copy || instructions[i + 1].opcode != Opcode::copy) continue;
        sites.push_back(launch_site(program, l, launch.descriptors[instructions[i].descriptor].source.buffer,
                                    launch.streams[s].core,
                                    {static_cast<int64_t>(l), static_cast<int64_t>(s), static_cast<int64_t>(i)}));
        ++i;
      }
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  std::vector<Instruction>& instructions = program.launches[site.at[0]].streams[site.at[1]].instructions;
  std::swap(instructions[site.at[2]].descriptor, instructions[site.at[2] + 1].descriptor);
}

extern const Fault fault_schedule_ctl_copy_order;
constinit const Fault fault_schedule_ctl_copy_order{
    .id = "schedule.ctl_copy_order",
    .summary = "two copies in of one tile change places, legally",
    .mechanism = "schedule.stall",
    .origin = "constructed: a control; copies that one signal stands for may come in any order",
    .targets = "any",
    .expect = Expect::benign,
    .hook = rewrite<applies, apply>,
    .example = "def f(a: f16[67], b: f16[67]): y = aten.add.Tensor(a, b); return y",
};

}  // namespace faultline
