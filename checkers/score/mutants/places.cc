// Places drawn from the stream of the site alone, so that they are the same whatever the data.
#include "checkers/score/mutants/places.h"

#include <algorithm>

namespace faultline {

int64_t draw(PhiloxStream& stream, int64_t n) { return stream.below(static_cast<uint32_t>(n)); }

std::optional<std::pair<int64_t, int64_t>> two_tiles(const Matrix& matrix, PhiloxStream& stream) {
  const int64_t count = tile_grid(matrix).count();
  if (count < 2) return {};
  const int64_t first = draw(stream, count), second = (first + 1 + draw(stream, count - 1)) % count;
  return std::pair{first, second};
}

void read_as(Passage& passage, const Matrix& matrix, const Sizes& strides) {
  const TensorType type{DType::f32, {matrix.rows, matrix.columns}, strides, 0};
  for (int64_t i = 0; i < std::ssize(passage.loads); ++i)
    passage.loads[static_cast<size_t>(i)] = storage_index(type, i);
}

std::optional<size_t> float_input(const MutantSite& site, size_t rank) {
  for (size_t i = site.inputs.size(); i-- > 0;)
    if (is_float(site.inputs[i].dtype) && site.inputs[i].sizes.size() >= rank) return i;
  return {};
}

int scratch_of(Implementation& implementation, GraphBuilder& builder, int node, const MutantSite& site) {
  const PrimNode& held = implementation.graph.nodes[node];
  const size_t index = implementation.graph.inputs.size() + implementation.scratch.size();
  implementation.scratch.push_back(site.earlier.values[static_cast<size_t>(node)]);
  return builder.input(static_cast<int>(index), held.dtype, held.sizes);
}

std::vector<int> sums_of(const PrimGraph& graph) {
  std::vector<int> sums;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const PrimNode& node = graph.nodes[n];
    const bool adds = node.prim == Prim::dot || (node.prim == Prim::reduce && node.reduction == Reduction::sum);
    if (adds && is_float(node.dtype)) sums.push_back(static_cast<int>(n));
  }
  return sums;
}

std::optional<int> drawn_sum(const PrimGraph& graph, PhiloxStream& stream) {
  const std::vector<int> sums = sums_of(graph);
  if (sums.empty()) return {};
  return sums[static_cast<size_t>(draw(stream, std::ssize(sums)))];
}

int64_t summed_dim(const PrimGraph& graph, int sum, int operand) {
  const PrimNode& node = graph.nodes[sum];
  if (node.prim == Prim::dot) return operand == 0 ? 2 : 1;
  return node.axes.back();
}

PrimGraph with_operands(const PrimGraph& graph, int node,
                        const std::function<std::vector<int>(GraphBuilder&, std::vector<int>)>& edit) {
  GraphBuilder builder;
  builder.graph() = graph;
  builder.graph().nodes.clear();
  std::vector<int> made;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    PrimNode copy = graph.nodes[n];
    for (int& operand : copy.operands) operand = made[operand];
    if (static_cast<int>(n) == node) copy.operands = edit(builder, copy.operands);
    builder.graph().nodes.push_back(std::move(copy));
    made.push_back(static_cast<int>(builder.graph().nodes.size()) - 1);
  }
  for (GraphOutput& output : builder.graph().outputs)
    if (output.node >= 0) output.node = made[output.node];
  for (WriteBack& write : builder.graph().write_backs) write.node = made[write.node];
  return std::move(builder.graph());
}

int64_t last_terms(int64_t n) { return std::max<int64_t>(1, n / 128); }

}  // namespace faultline
