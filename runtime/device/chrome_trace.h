// A job's trace in the Trace Event Format that Chrome and Perfetto read: one track for the host queue, one for every
// engine of every core, and the device memory in use as a counter. A tick is written as a nanosecond.
#pragma once

#include <string>

#include "runtime/device/device_report.h"

namespace faultline {

// JSON text. Of a report made without DeviceOptions::trace only the counter is left.
std::string to_chrome_trace(const DeviceReport& report);

}  // namespace faultline
