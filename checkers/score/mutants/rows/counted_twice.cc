// A loop over the terms whose last step overlaps the one before.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("counted twice");
  const std::optional<int> drawn = drawn_sum(implementation.graph, stream);
  if (!drawn) return false;
  const int sum = *drawn;
  const PrimGraph graph = implementation.graph;
  implementation.graph = with_operands(graph, sum, [&](GraphBuilder& builder, std::vector<int> operands) {
    for (int k = 0; k < std::ssize(operands); ++k) {
      const int dim = static_cast<int>(summed_dim(graph, sum, k));
      const int64_t length = builder.size(operands[k], dim), again = last_terms(length);
      const int parts[] = {operands[k], builder.slice(operands[k], dim, length - again, again)};
      operands[k] = builder.concat(parts, dim);
    }
    return operands;
  });
  return true;
}

constinit const Mutant mutant_counted_twice{
    .id = "counted_twice",
    .summary = "a sum takes its last terms twice",
    .group = "program",
    .plant = plant,
};

}  // namespace faultline
