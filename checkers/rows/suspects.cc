// The sharp profile: bounds that a conforming result leaves with a chance of 3e-8 a sum. An element far beyond is
// wrong; so is a crowd of suspects that all lie on one side.
#include <fmt/format.h>

#include "checkers/checker.h"
#include "checkers/suspects.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    if (tensor.role != TensorRole::output || tensor.actual.size() != tensor.eager.size()) continue;
    const SuspectCount count = count_suspects(tensor);
    if (count.far > 0)
      found.push_back({"suspects", Outcome::wrong_value, static_cast<int>(t),
                       fmt::format("{}: {} elements are more than {} times their sharp bound away", tensor.name,
                                   count.far, kSuspectRatioMax)});
    else if (is_one_sided(count.above, count.below))
      found.push_back({"suspects", Outcome::wrong_value, static_cast<int>(t),
                       fmt::format("{}: {} elements are beyond their sharp bound, {} above and {} below: one-sided",
                                   tensor.name, count.above + count.below, count.above, count.below)});
  }
  return found;
}

static std::string covers(const Evidence& evidence) {
  for (const TensorEvidence& tensor : evidence.tensors)
    if (!tensor.sharp_bound.empty()) return "values against sharp bounds";
  return "";
}

constinit const Checker checker_suspects{"suspects",
                                         "values leave the sharp bounds, far or on one side (oracle=sharp)",
                                         "tensors",
                                         check,
                                         "a second reference",
                                         covers};

}  // namespace faultline
