// Type, shape, strides, offset and aliasing of everything that leaves the program.
#include "checkers/checker.h"

namespace faultline {

static std::vector<Observation> check(const Evidence& evidence) {
  std::vector<Observation> found;
  if (evidence.ended()) return found;
  for (size_t t = 0; t < evidence.tensors.size(); ++t) {
    const TensorEvidence& tensor = evidence.tensors[t];
    const auto add = [&](std::string text) {
      found.push_back({"metadata", Outcome::wrong_metadata, static_cast<int>(t), tensor.name + " " + text});
    };
    if (tensor.actual.empty() && !tensor.eager.empty()) {
      add("is missing");
      continue;
    }
    if (!(tensor.actual_type == tensor.eager_type))
      add("is " + to_text(tensor.actual_type) + ", eager has " + to_text(tensor.eager_type));
    if (tensor.actual_alias != tensor.eager_alias) {
      const auto owner = [](const std::string& alias) { return alias.empty() ? std::string("nothing") : alias; };
      add("shares storage with " + owner(tensor.actual_alias) + ", in eager with " + owner(tensor.eager_alias));
    }
  }
  return found;
}

static std::string covers(const Evidence& evidence) {
  if (evidence.ended() || evidence.tensors.empty()) return "";
  return "dtype, shape, strides, offset and aliases of " + counted(std::ssize(evidence.tensors), "tensor");
}

constinit const Checker checker_metadata{
    "metadata", "dtype, shape, strides, offset or aliasing differ from eager", "tensors", check, "free", covers};

}  // namespace faultline
