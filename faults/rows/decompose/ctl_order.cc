// Control: two neighbours that do not depend on each other change places. Any topological order is as good as another,
// so whoever accuses this raises a false alarm.
#include <algorithm>

#include "faults/prim_edit.h"

namespace faultline {

static bool computes(const PrimNode& node) { return node.prim != Prim::input && node.prim != Prim::literal; }

// Pairs that do not overlap, so that they may be struck together.
static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  for (size_t n = 0; n + 1 < graph.nodes.size(); ++n) {
    const PrimNode &first = graph.nodes[n], &second = graph.nodes[n + 1];
    const auto& operands = second.operands;
    const bool free = std::find(operands.begin(), operands.end(), static_cast<int>(n)) == operands.end();
    if (!free || !(computes(first) || computes(second))) continue;
    sites.push_back(prim_site(graph, static_cast<int>(n), {static_cast<int64_t>(n)}));
    ++n;
  }
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  const int first = static_cast<int>(site.at[0]), second = first + 1;
  const auto moved = [=](int node) { return node == first ? second : node == second ? first : node; };
  std::swap(graph.nodes[first], graph.nodes[second]);
  for (size_t n = static_cast<size_t>(second) + 1; n < graph.nodes.size(); ++n)
    for (int& operand : graph.nodes[n].operands) operand = moved(operand);
  for (GraphOutput& output : graph.outputs) output.node = moved(output.node);
  for (WriteBack& write : graph.write_backs) write.node = moved(write.node);
}

extern const Fault fault_decompose_ctl_order;
constinit const Fault fault_decompose_ctl_order{
    .id = "decompose.ctl_order",
    .summary = "independent neighbours of the graph change places, legally",
    .mechanism = "decompose.formula",
    .origin = "constructed: a control; independent operations may stand in either order",
    .targets = "any",
    .expect = Expect::benign,
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f32[67], y: f32[67]): a = aten.exp(x); b = aten.neg(y); z = aten.add.Tensor(a, b); return z",
};

}  // namespace faultline
