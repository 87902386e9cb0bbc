// One row of a sum with a lane of padding that was never cleared: it holds a term of the run before.
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
  PrimGraph wrong = with_operands(graph, sum, [&](GraphBuilder& builder, std::vector<int> operands) {
    for (int k = 0; k < std::ssize(operands); ++k) {
      const int along = static_cast<int>(summed_dim(graph, sum, k));
      const int held = scratch_of(implementation, builder, graph.nodes[sum].operands[k], site);
      int lane = builder.slice(held, along, 0, 1);
      if (k == 0) {
        const Sizes one = builder.sizes(lane);
        const int here = builder.apply(
            Function::equal, {builder.iota(one, across), builder.number(static_cast<double>(row), DType::i64, one)});
        lane = builder.select(here, lane, builder.number(0, builder.dtype(lane), one));
      }
      const int parts[] = {operands[k], lane};
      operands[k] = builder.concat(parts, along);
    }
    return operands;
  });
  implementation.graph = std::move(wrong);
  return true;
}

constinit const Mutant mutant_garbage_lane{
    .id = "garbage_lane",
    .summary = "in one row a sum takes a term from behind its end",
    .group = "program",
    .plant = plant,
};

}  // namespace faultline
