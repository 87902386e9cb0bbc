// Promises of the event trace.
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (const std::string& text : evidence.device.transfer_findings)
    found.push_back({"transfer", Outcome::wrong_value, -1, text});
  return found;
}

constinit const Checker checker_transfer{"transfer", "a transfer lost, doubled or misplaced bytes", "trace", check,
                                         "a traced run"};

}  // namespace faultline
