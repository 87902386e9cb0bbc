// The same run over memory that held another pattern: what follows the pattern was read before anybody wrote it.
#include <fmt/format.h>

#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    if (tensor.actual_second_poison.size() != tensor.actual.size()) continue;
    int64_t follow = 0;
    for (size_t i = 0; i < tensor.actual.size(); ++i) follow += tensor.actual[i] != tensor.actual_second_poison[i];
    if (follow > 0)
      found.push_back({"poison", Outcome::wrong_value, static_cast<int>(t),
                       fmt::format("{}: {} of {} elements change with what memory held before the first write",
                                   tensor.name, follow, tensor.actual.size())});
  }
  return found;
}

static std::string covers(const Evidence& evidence) {
  for (const TensorEvidence& tensor : evidence.tensors)
    if (!tensor.actual_second_poison.empty()) return "a run over other memory";
  return "";
}

constinit const Checker checker_poison{
    "poison", "a result depends on memory that nobody wrote", "second poison", check, "a second run", covers};

}  // namespace faultline
