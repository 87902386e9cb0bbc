// The planner of device memory takes a buffer for dead while a later launch, or the copy out, still needs it, and gives
// its place to another.
#include "faults/machine_edit.h"

namespace faultline {

static const Allocation* allocation_of(const MachineProgram& program, size_t buffer) {
  for (const Allocation& allocation : program.allocations)
    if (allocation.buffer == static_cast<int>(buffer)) return &allocation;
  return nullptr;
}

// One site for every buffer that is stored while a large enough other one waits to be read.
static std::vector<FaultSite> applies(const MachineProgram& program) {
  std::vector<FaultSite> sites;
  const std::vector<std::optional<DeviceLife>> lives = device_lives(program);
  for (size_t b = 0; b < lives.size(); ++b) {
    const Allocation* mine = allocation_of(program, b);
    if (!lives[b] || lives[b]->stored < 0 || mine == nullptr) continue;
    for (size_t a = 0; a < lives.size(); ++a) {
      const Allocation* other = allocation_of(program, a);
      if (a == b || !lives[a] || other == nullptr || other->bytes < mine->bytes) continue;
      if (lives[a]->stored >= lives[b]->stored || lives[a]->needed <= lives[b]->stored) continue;
      sites.push_back(launch_site(program, static_cast<size_t>(lives[b]->stored), static_cast<int>(b), -1,
                                  {static_cast<int64_t>(b), static_cast<int64_t>(a)}));
      break;
    }
  }
  return sites;
}

static void apply(MachineProgram& program, const FaultSite& site, const FaultSpec&) {
  const Allocation other = *allocation_of(program, static_cast<size_t>(site.at[1]));
  for (Allocation& allocation : program.allocations) {
    if (allocation.buffer != site.at[0]) continue;
    allocation.segment = other.segment;
    allocation.offset = other.offset;
  }
}

extern const Fault fault_schedule_early_reuse;
constinit const Fault fault_schedule_early_reuse{
    .id = "schedule.early_reuse",
    .summary = "a buffer gets the device memory of one that is still to be read",
    .mechanism = "schedule.war",
    .origin = "https://github.com/pytorch/pytorch/pull/179172",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten._softmax(x, -1, False); return y",
};

}  // namespace faultline
