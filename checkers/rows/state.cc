// What the host language keeps from call to call.
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  if (evidence.ended()) return found;
  for (const StateEvidence& state : evidence.state)
    if (state.eager != state.actual)
      found.push_back(
          {"state", Outcome::lost_mutation, -1, state.name + " is " + state.actual + ", eager leaves " + state.eager});
  return found;
}

static std::string covers(const Evidence& evidence) {
  if (evidence.ended() || evidence.state.empty()) return "";
  return counted(std::ssize(evidence.state), "value") + " that the host language keeps";
}

constinit const Checker checker_state{
    "state", "what the host language keeps is not as eager leaves it", "state", check, "free", covers};

}  // namespace faultline
