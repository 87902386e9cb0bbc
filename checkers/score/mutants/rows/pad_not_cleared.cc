// Padding that was never cleared: behind the last term of every sum stand others, as many as a tail may leave. The
// second factor of a contraction meets them with its own first numbers: one number for all would only shift what a
// softmax takes, and change nothing.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("pad");
  const std::optional<int> drawn = drawn_sum(implementation.graph, stream);
  if (!drawn) return false;
  const int sum = *drawn;
  const PrimGraph graph = implementation.graph;
  implementation.graph = with_operands(graph, sum, [&](GraphBuilder& builder, std::vector<int> operands) {
    for (int k = 0; k < std::ssize(operands); ++k) {
      const int dim = static_cast<int>(summed_dim(graph, sum, k));
      Sizes sizes = builder.sizes(operands[k]);
      const int64_t more = last_terms(sizes[dim]);
      sizes[dim] += more;
      if (k == 0) {
        operands[k] = builder.pad(operands[k], std::vector<int64_t>(sizes.size(), 0), sizes,
                                  real_literal(1.5, builder.dtype(operands[k])));
      } else {
        const int parts[] = {operands[k], builder.slice(operands[k], dim, 0, more)};
        operands[k] = builder.concat(parts, dim);
      }
    }
    return operands;
  });
  return true;
}

constinit const Mutant mutant_pad_not_cleared{
    .id = "pad_not_cleared",
    .summary = "a sum takes terms from behind its end",
    .group = "program",
    .plant = plant,
};

}  // namespace faultline
