// Writes the device's events of a run for trace viewers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/device/device_report.h"

namespace faultline {

// For RunOptions::trace: the jobs of a run, one after another in one file. The file appears whole or not at all; what
// gets them throws UserError where it cannot be written, and so does this where that is known already.
std::function<void(const std::vector<DeviceReport>&)> trace_writer(const std::string& path);

}  // namespace faultline
