// A loop over the terms that ends too early: by one, in long sums by one of 128.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("last dropped");
  const std::optional<int> drawn = drawn_sum(implementation.graph, stream);
  if (!drawn) return false;
  const int sum = *drawn;
  const PrimGraph graph = implementation.graph;
  implementation.graph = with_operands(graph, sum, [&](GraphBuilder& builder, std::vector<int> operands) {
    for (int k = 0; k < std::ssize(operands); ++k) {
      const int dim = static_cast<int>(summed_dim(graph, sum, k));
      const int64_t length = builder.size(operands[k], dim);
      operands[k] = builder.slice(operands[k], dim, 0, length - last_terms(length));
    }
    return operands;
  });
  return true;
}

constinit const Mutant mutant_last_dropped{
    .id = "last_dropped",
    .summary = "a sum leaves its last terms out",
    .group = "program",
    .plant = plant,
};

}  // namespace faultline
