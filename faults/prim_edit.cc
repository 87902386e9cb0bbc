// Walks over prim graphs for fault rows: backwards for what is needed, forwards for where a value goes.
#include "faults/prim_edit.h"

#include <fmt/format.h>

#include "faults/sites.h"

namespace faultline {

namespace {

template <class Visit>
void for_each_leaving(const PrimGraph& graph, Visit visit) {
  for (const GraphOutput& output : graph.outputs)
    if (output.alias_input < 0 && output.node >= 0 && element_count(output.type.sizes) > 0) visit(output.node);
  for (const WriteBack& write : graph.write_backs) visit(write.node);
}

// Small relative errors stay small relative errors of the result.
bool passes_errors_on(const PrimNode& user, DType dtype) {
  if (user.dtype != dtype) return false;
  switch (user.prim) {
    case Prim::pointwise: return row(user.function).kind == FunctionKind::arithmetic;
    case Prim::reduce: return user.reduction == Reduction::sum || user.reduction == Reduction::prod;
    default: return true;
  }
}

}  // namespace

std::vector<uint8_t> live_nodes(const PrimGraph& graph) {
  std::vector<uint8_t> live(graph.nodes.size(), 0);
  for_each_leaving(graph, [&](int node) { live[node] = 1; });
  for (size_t n = live.size(); n-- > 0;)
    if (live[n] != 0)
      for (const int operand : graph.nodes[n].operands) live[operand] = 1;
  return live;
}

std::vector<int> use_counts(const PrimGraph& graph) {
  std::vector<int> uses(graph.nodes.size(), 0);
  for (const PrimNode& node : graph.nodes)
    for (const int operand : node.operands) ++uses[operand];
  for_each_leaving(graph, [&](int node) { ++uses[node]; });
  return uses;
}

int through_shape(const PrimGraph& graph, int node) {
  for (;; node = graph.nodes[node].operands[0]) {
    const Prim prim = graph.nodes[node].prim;
    if (prim != Prim::reshape && prim != Prim::permute && prim != Prim::broadcast) return node;
  }
}

const PrimNode* literal_above(const PrimGraph& graph, int node) {
  const PrimNode& above = graph.nodes[through_shape(graph, node)];
  return above.prim == Prim::literal ? &above : nullptr;
}

std::string operation_of(const PrimGraph& graph, const PrimNode& node) {
  return operation_name(graph.origins[node.origin]);
}

bool is_pointwise(const PrimNode& node, Function function) {
  return node.prim == Prim::pointwise && node.function == function;
}

bool leaves_unrounded(const PrimGraph& graph, int from) {
  std::vector<uint8_t> reached(graph.nodes.size(), 0);
  reached[from] = 1;
  for (size_t n = static_cast<size_t>(from) + 1; n < graph.nodes.size(); ++n)
    for (const int operand : graph.nodes[n].operands)
      if (reached[operand] != 0 && passes_errors_on(graph.nodes[n], graph.nodes[from].dtype)) reached[n] = 1;
  bool leaves = false;
  for_each_leaving(graph, [&](int node) { leaves = leaves || reached[node] != 0; });
  return leaves;
}

void insert_after(PrimGraph& graph, int after, std::vector<PrimNode> nodes) {
  const int count = static_cast<int>(nodes.size()), last = after + count;
  const auto moved = [&](int node) { return node < after ? node : node == after ? last : node + count; };
  for (size_t n = static_cast<size_t>(after) + 1; n < graph.nodes.size(); ++n)
    for (int& operand : graph.nodes[n].operands) operand = moved(operand);
  for (GraphOutput& output : graph.outputs) output.node = moved(output.node);
  for (WriteBack& write : graph.write_backs) write.node = moved(write.node);
  graph.nodes.insert(graph.nodes.begin() + after + 1, std::make_move_iterator(nodes.begin()),
                     std::make_move_iterator(nodes.end()));
}

FaultSite prim_site(const PrimGraph& graph, int node, std::vector<int64_t> at) {
  const PrimNode& prim = graph.nodes[node];
  const std::string call = prim.origin < 0 ? "graph" : operation_of(graph, prim);
  return {fmt::format("{}:{}/{}:{}", call, std::max(prim.origin, 0), name(prim.prim), node), std::move(at)};
}

}  // namespace faultline
