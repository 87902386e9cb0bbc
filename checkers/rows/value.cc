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
    else if (verdicts.total > 0 && verdicts.untrusted == verdicts.total)
      found.push_back({"value", Outcome::untrusted, static_cast<int>(t), unjudged(tensor)});
  }
  return found;
}

static std::string covers(const Evidence& evidence) {
  int64_t outputs = 0, elements = 0;
  for (const TensorEvidence& tensor : evidence.tensors) {
    if (tensor.role != TensorRole::output || tensor.actual.size() != tensor.eager.size()) continue;
    ++outputs;
    elements += static_cast<int64_t>(tensor.actual.size());
  }
  return outputs == 0 ? "" : fmt::format("{} of {}", counted(elements, "element"), counted(outputs, "output"));
}

constinit const Checker checker_value{
    "value", "an output element is outside its error bound", "tensors", check, "one pass", covers};

}  // namespace faultline
