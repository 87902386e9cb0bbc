// A tail mask that is one too long: the term behind the last is the next row's first.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("mask");
  const std::optional<int> drawn = drawn_sum(implementation.graph, stream);
  if (!drawn) return false;
  const int sum = *drawn;
  const PrimGraph graph = implementation.graph;
  const Sizes sizes = graph.nodes[graph.nodes[sum].operands[0]].sizes;
  const int dim = static_cast<int>(summed_dim(graph, sum, 0));
  if (dim == 0 || sizes[dim - 1] < 2) return false;
  implementation.graph = with_operands(graph, sum, [&](GraphBuilder& builder, std::vector<int> operands) {
    const int64_t rows = builder.size(operands[0], dim - 1);
    const int first = builder.slice(operands[0], dim, 0, 1);
    const int turned[] = {builder.slice(first, dim - 1, 1, rows - 1), builder.slice(first, dim - 1, 0, 1)};
    const int parts[] = {operands[0], builder.concat(turned, dim - 1)};
    operands[0] = builder.concat(parts, dim);
    if (operands.size() > 1) {
      const int factor = static_cast<int>(summed_dim(graph, sum, 1));
      const int again[] = {operands[1], builder.slice(operands[1], factor, builder.size(operands[1], factor) - 1, 1)};
      operands[1] = builder.concat(again, factor);
    }
    return operands;
  });
  return true;
}

constinit const Mutant mutant_mask_off_by_one{
    .id = "mask_off_by_one",
    .summary = "a sum takes the first term of the next row as well",
    .group = "program",
    .plant = plant,
};

}  // namespace faultline
