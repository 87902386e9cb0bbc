// A core's loads signal another token than the one its compute instructions wait for, which then never comes.
#include "faults/machine_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t l = 0; l < program.launches.size(); ++l)
    for (const LoadSignal& load : load_signals(program.launches[l]))
      sites.push_back(
          launch_site(program, l, load.buffer, load.core, {static_cast<int64_t>(l), load.stream, load.position}));
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  Launch& launch = program.launches[site.at[0]];
  int& token = launch.streams[site.at[1]].instructions[site.at[2]].token;
  token = (token + 1) % launch.tokens;
}

extern const Fault fault_schedule_signal_token;
constinit const Fault fault_schedule_signal_token{
    .id = "schedule.signal_token",
    .summary = "the copies of a tile signal the wrong token",
    .mechanism = "schedule.sync",
    .origin = "constructed: a token numbered by another rule on its two sides is waited for without end",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
