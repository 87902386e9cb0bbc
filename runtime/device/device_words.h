// What a device did, in words for people.
#pragma once

#include <string>

#include "runtime/device/device_report.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// "H2D x", "patch k0_clone", "launch k0_clone", "k0_clone, core 0 load: 256 bytes of x".
std::string request_words(const MachineProgram& program, const DeviceRequest& request);
// "host" or "core 3 load".
std::string track_words(int core, int engine);

}  // namespace faultline
