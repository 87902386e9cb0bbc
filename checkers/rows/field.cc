// Rungs in the field: whatever the numbers, a rung below `decompose` took other operands than the one above.
#include <fmt/format.h>

#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  for (const RungEvidence& rung : evidence.rungs) {
    int64_t differing = 0;
    for (const std::vector<uint8_t>& differs : rung.field_differs)
      for (const uint8_t differ : differs) differing += differ;
    if (differing > 0)
      return {{"field", Outcome::wrong_value, -1,
               fmt::format("rung {}: {} elements are made of other operands", rung.rung, differing)}};
  }
  return {};
}

static std::string covers(const Evidence& evidence) {
  int rungs = 0;
  for (const RungEvidence& rung : evidence.rungs) rungs += !rung.field_differs.empty();
  if (rungs > 0) return fmt::format("operands of {} rungs in the field", rungs);
  return evidence.dataflow_equal ? "operands of what the device computes in the field" : "";
}

constinit const Checker checker_field{
    "field", "a rung took other operands than the one above", "rungs", check, "a run a rung in fingerprints", covers};

}  // namespace faultline
