// One row of a sum with a lane of padding that was never cleared.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("garbage lane");
  const std::optional<int> drawn = drawn_sum(implementation.graph, stream);
  if (!drawn) return false;
  const int sum = *drawn;
  const PrimGraph graph = implementation.graph;
  const int dim = static_cast<int>(summed_dim(graph, sum, 0));
  const Sizes sizes = graph.nodes[graph.nodes[sum].operands[0]].sizes;
  const int across = dim > 0 ? dim - 1 : 1;  // the dim along which rows stand
  if (std::ssize(sizes) < 2) return false;
  const int64_t row = draw(stream, sizes[across]);
  implementation.graph = with_operands(graph, sum, [&](GraphBuilder& builder, std::vector<int> operands) {
    // The garbage stands where the row's number is met, 0 in all others.
    Sizes lane = builder.sizes(operands[0]);
    lane[dim] = 1;
    const DType dtype = builder.dtype(operands[0]);
    const int here = builder.apply(
        Function::equal, {builder.iota(lane, across), builder.number(static_cast<double>(row), DType::i64, lane)});
    const int garbage = builder.select(here, builder.number(2.5, dtype, lane), builder.number(0, dtype, lane));
    const int parts[] = {operands[0], garbage};
    operands[0] = builder.concat(parts, dim);
    if (operands.size() > 1) {
      // Its own first numbers: see pad_not_cleared.
      const int factor = static_cast<int>(summed_dim(graph, sum, 1));
      const int again[] = {operands[1], builder.slice(operands[1], factor, 0, 1)};
      operands[1] = builder.concat(again, factor);
    }
    return operands;
  });
  return true;
}

constinit const Mutant mutant_garbage_lane{
    .id = "garbage_lane",
    .summary = "in one row a sum takes a term from behind its end",
    .group = "program",
    .plant = plant,
};

}  // namespace faultline
