// How the device run ended.
#include <fmt/format.h>

#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  const DeviceEvidence& device = evidence.device;
  if (device.end == DeviceEvidence::End::hung)
    return {{"device", Outcome::hung, -1, "no progress; oldest outstanding request: " + device.oldest_request}};
  if (device.end == DeviceEvidence::End::error)
    return {
        {"device", Outcome::crashed, -1, fmt::format("device error 0x{:x} {}", device.error_code, device.error_name)}};
  return {};
}

static std::string covers(const Evidence& evidence) {
  return evidence.device.ticks > 0 ? "errors and progress of the device" : "";
}

constinit const Checker checker_device{"device", "the device hung or reported an error", "device", check, "free",
                                       covers};

}  // namespace faultline
