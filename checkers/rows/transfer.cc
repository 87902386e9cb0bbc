// Promises of the event trace.
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (const BrokenPromise& broken : evidence.device.transfer_findings)
    found.push_back(
        {"transfer", outcome_of_promise(Layer::transfer, broken.promise), -1, broken.place + ": " + broken.text});
  return found;
}

static std::string covers(const Evidence& evidence) {
  return evidence.device.ticks > 0 ? "every transfer of the run" : "";
}

constinit const Checker checker_transfer{
    "transfer",     "a transfer lost, doubled or misplaced bytes, or took longer than its work",
    "trace",        check,
    "a traced run", covers};

}  // namespace faultline
