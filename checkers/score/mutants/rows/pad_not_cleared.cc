// Padding that was never cleared: behind the last term of every sum stand those of the run before, as many as a tail
// may leave.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("pad");
  const std::optional<int> drawn = drawn_sum(implementation.graph, stream);
  if (!drawn) return false;
  const int sum = *drawn;
  const PrimGraph graph = implementation.graph;
  PrimGraph wrong = with_operands(graph, sum, [&](GraphBuilder& builder, std::vector<int> operands) {
    for (int k = 0; k < std::ssize(operands); ++k) {
      const int dim = static_cast<int>(summed_dim(graph, sum, k));
      const int held = scratch_of(implementation, builder, graph.nodes[sum].operands[k], site);
      const int parts[] = {operands[k], builder.slice(held, dim, 0, last_terms(builder.size(held, dim)))};
      operands[k] = builder.concat(parts, dim);
    }
    return operands;
  });
  implementation.graph = std::move(wrong);
  return true;
}

constinit const Mutant mutant_pad_not_cleared{
    .id = "pad_not_cleared",
    .summary = "a sum takes terms from behind its end",
    .group = "program",
    .plant = plant,
};

}  // namespace faultline
