// Layer 6: from tiles to a machine program.
//
// Every tile becomes copies in, one compute instruction and copies out, on three engines of its core that run at their
// own pace. Tokens, one of each per core and launch, count finished tiles:
//
//   loads(n)    waits until the scratch space it overwrites is free: computes >= n - buffers + 1
//   compute(n)  waits for loads >= n + 1, and for stores where it overwrites an output tile
//   store(m)    waits for its compute
//
// A reduction split over cores hops its partial results along the ring in core order; the last core finishes and
// stores. Launches follow each other in one FIFO: no token crosses them.
#pragma once

#include "runtime/layers/finding.h"
#include "runtime/layers/schedule/machine_program.h"
#include "runtime/layers/schedule/schedule_policy.h"

namespace faultline {

// Throws Rejected("device memory") when the buffers do not fit.
MachineProgram schedule(const TileProgram& program, const SchedulePolicy& policy);

// Every broken promise of a machine program that was made from `tiles`; empty for the output of schedule(). Promises:
// signal (somebody gives what is waited for), deadlock (waits form no cycle), happens_before, transfer, address,
// symbol, mask, operation, immediate, allocation.
std::vector<Finding> verify_schedule(const TileProgram& tiles, const MachineProgram& program);

}  // namespace faultline
