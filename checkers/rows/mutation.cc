// Inputs and state after the call.
#include <fmt/format.h>

#include "checkers/checker.h"
#include "checkers/compare.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    if (tensor.role == TensorRole::output || tensor.actual.size() != tensor.eager.size()) continue;
    const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
    if (verdicts.wrong > 0)
      found.push_back({"mutation", Outcome::lost_mutation, static_cast<int>(t),
                       fmt::format("{} {} after the call: {} of {} elements wrong",
                                   tensor.role == TensorRole::input_after ? "input" : "attribute", tensor.name,
                                   verdicts.wrong, verdicts.total)});
  }
  return found;
}

static std::string covers(const Evidence& evidence) {
  if (evidence.ended()) return "";
  int64_t inputs = 0, attributes = 0;
  for (const TensorEvidence& tensor : evidence.tensors) {
    inputs += tensor.role == TensorRole::input_after;
    attributes += tensor.role == TensorRole::attribute_after;
  }
  if (inputs + attributes == 0) return "";
  return fmt::format("{} and {} after {}", counted(inputs, "input"), counted(attributes, "attribute"),
                     counted(evidence.calls, "call"));
}

constinit const Checker checker_mutation{
    "mutation", "an input or the state is not as eager leaves it", "tensors", check, "one pass", covers};

}  // namespace faultline
