// The plan of device memory: every buffer gets an address for the launches between which it is live.
#pragma once

#include "runtime/layers/schedule/schedule_policy.h"

namespace faultline {

// First fit by live range over the segments, in the order of first use, ties by name. Throws Rejected("device memory").
std::vector<Allocation> plan_memory(const LayoutProgram& program, const SchedulePolicy& policy);

}  // namespace faultline
