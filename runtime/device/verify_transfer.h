// The promises of layer 7, checked on what a device left of one job. Times and bytes alone are looked at, never values:
//
//   [request]    every request completed and replied
//   [bytes]      what was asked for is what was read and what was written, with the same checksum (traced runs)
//   [once]       nothing was carried out twice
//   [order]      nothing replied before its bytes were there, and nothing began before what it waits for had ended
//   [address]    every copy touched the memory of its buffer
//   [arguments]  a launch used the arguments that were patched for it
//   [idle]       no stream stood still longer than it had to, and no request took longer than it does
//   [completed]  no engine reported an error
#pragma once

#include <vector>

#include "runtime/device/device_report.h"
#include "runtime/device/job_plan.h"
#include "runtime/layers/finding.h"

namespace faultline {

// At most a few findings a promise, those of the earliest requests first.
std::vector<Finding> verify_transfer(const MachineProgram& program, const JobPlan& plan, const DeviceReport& report);

}  // namespace faultline
