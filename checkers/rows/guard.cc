// Bytes outside of allocations.
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (const std::string& write : evidence.device.outside_writes)
    found.push_back({"guard", Outcome::wrong_value, -1, write});
  return found;
}

static std::string covers(const Evidence& evidence) {
  return evidence.device.ticks > 0 ? "bytes outside of what is allocated" : "";
}

constinit const Checker checker_guard{
    "guard", "bytes were written outside an allocation", "memory events", check, "free", covers};

}  // namespace faultline
