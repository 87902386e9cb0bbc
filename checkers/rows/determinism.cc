// The same run twice.
#include <fmt/format.h>

#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    if (tensor.actual_repeat.size() != tensor.actual.size()) continue;
    int64_t moved = 0;
    for (size_t i = 0; i < tensor.actual.size(); ++i) moved += tensor.actual[i] != tensor.actual_repeat[i];
    if (moved > 0)
      found.push_back({"determinism", Outcome::nondeterministic, static_cast<int>(t),
                       fmt::format("{}: {} of {} elements differ between two identical runs", tensor.name, moved,
                                   tensor.actual.size())});
  }
  return found;
}

static std::string covers(const Evidence& evidence) {
  for (const TensorEvidence& tensor : evidence.tensors)
    if (!tensor.actual_repeat.empty()) return "the same run twice";
  return "";
}

constinit const Checker checker_determinism{"determinism", "two identical runs differ", "repeat", check, "a second run",
                                            covers};

}  // namespace faultline
