// Loads wait for one more tile to be done than they should, the first one too: they wait for computing and computing
// waits for them.
#include "faults/machine_edit.h"

namespace faultline {

// Streams of loads; the token that they wait for is what the core's compute stream signals.
static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l) {
    const Launch& launch = program.launches[l];
    int last = -1;
    for (const LoadSignal& load : load_signals(launch)) {
      if (load.stream == last) continue;
      last = load.stream;
      for (const Instruction& instruction : launch.streams[load.compute].instructions) {
        if (instruction.opcode != Opcode::signal) continue;
        sites.push_back(
            launch_site(program, l, load.buffer, load.core, {static_cast<int64_t>(l), load.stream, instruction.token}));
        break;
      }
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  std::vector<Instruction>& instructions = program.launches[site.at[0]].streams[site.at[1]].instructions;
  const auto token = static_cast<int>(site.at[2]);
  for (Instruction& instruction : instructions)
    if (instruction.opcode == Opcode::wait && instruction.token == token) ++instruction.count;
  instructions.insert(instructions.begin(),
                      {.opcode = Opcode::wait, .token = token, .count = 1, .sequence = instructions.front().sequence});
}

extern const Fault fault_schedule_credit_missing;
constinit const Fault fault_schedule_credit_missing{
    .id = "schedule.credit_missing",
    .summary = "loads wait for a tile that cannot be computed before they have run",
    .mechanism = "schedule.cycle",
    .origin =
        "https://github.com/Cerebras/csl-examples/blob/master/tutorials/pipeline-01-basic/"
        "README.rst#:~:text=exceeds%2014",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
