// Values of outputs.
#include <fmt/format.h>

#include "checkers/checker.h"
#include "checkers/compare.h"
#include "checkers/untrusted.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    if (tensor.role != TensorRole::output || tensor.actual.size() != tensor.eager.size()) continue;
    const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
    if (verdicts.wrong > 0)
      found.push_back({"value", Outcome::wrong_value, static_cast<int>(t),
                       fmt::format("{}: {} of {} elements wrong", tensor.name, verdicts.wrong, verdicts.total)});
    else if (verdicts.total > 0 && !is_enough(verdicts.total - verdicts.untrusted, verdicts.total))
      found.push_back({"value", Outcome::untrusted, static_cast<int>(t), unjudged(tensor)});
  }
  return found;
}

static std::string covers(const Evidence& evidence) {
  int64_t outputs = 0, elements = 0, judged = 0;
  for (const TensorEvidence& tensor : evidence.tensors) {
    if (tensor.role != TensorRole::output || tensor.actual.size() != tensor.eager.size()) continue;
    ++outputs;
    const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
    elements += verdicts.total;
    judged += verdicts.total - verdicts.untrusted;
  }
  if (outputs == 0) return {};
  const std::string all = fmt::format("{} of {}", counted(elements, "element"), counted(outputs, "output"));
  return judged == elements ? all : fmt::format("{} of the {}", judged, all);
}

constinit const Checker checker_value{
    "value", "an output element is outside its error bound", "tensors", check, "one pass", covers};

}  // namespace faultline
