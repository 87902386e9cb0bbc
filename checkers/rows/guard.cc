// Bytes outside of allocations.
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (const std::string& event : evidence.device.memory_events)
    if (event.find("write_guard") != std::string::npos || event.find("write_unmapped") != std::string::npos)
      found.push_back({"guard", Outcome::wrong_value, -1, event});
  return found;
}

constinit const Checker checker_guard{"guard", "bytes were written outside an allocation", "memory events", check,
                                      "free"};

}  // namespace faultline
