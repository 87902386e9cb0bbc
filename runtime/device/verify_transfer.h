// The promises of layer 7, checked on what a device left of one job. Times, bytes and addresses are looked at, never
// values, and nothing but the report and what the host asked for:
//
//   [request]    every request completed and replied
//   [signal]     a signal that was given arrived
//   [moved]      what was reported done was done at all
//   [bytes]      as many bytes were read and written as were asked for
//   [checksum]   they arrived as they left
//   [once]       nothing was carried out twice
//   [order]      nothing replied before its bytes were there, and nothing began before what it waits for had ended
//   [address]    every copy touched the memory of its buffer
//   [arguments]  a launch used the arguments that were patched for it
//   [idle]       no stream stood still longer than it had to, and no request took longer than it does
//   [error]      no engine reported an error
//
// What a program asks for is taken as right: a program that waits for ever by itself breaks a promise of `schedule`.
#pragma once

#include <vector>

#include "runtime/device/device_report.h"
#include "runtime/device/job_plan.h"
#include "runtime/layers/finding.h"

namespace faultline {

// At most four findings a promise, those of the earliest requests first.
std::vector<Finding> verify_transfer(const MachineProgram& program, const JobPlan& plan, const DeviceReport& report);

}  // namespace faultline
