// A reduction runs over the neighbour of its axis. Where both have the same size the result still has the right shape,
// so nothing but the values shows it.
#include <algorithm>

#include "faults/prim_edit.h"

namespace faultline {

static bool has_axis(const PrimNode& node, int64_t axis) {
  return std::find(node.axes.begin(), node.axes.end(), axis) != node.axes.end();
}

// A maximum that only keeps exponentials in range may be any number: softmax divides it out again.
static bool only_stabilises(const PrimGraph& graph, int reduce) {
  for (const PrimNode& node : graph.nodes)
    if (is_pointwise(node, Function::sub) && through_shape(graph, node.operands[1]) == reduce) return true;
  return false;
}

static bool is_generic(const PrimGraph& graph, int n) {
  const PrimNode& node = graph.nodes[n];
  if (node.prim != Prim::reduce || element_count(node.sizes) == 0) return false;
  if (node.reduction == Reduction::any || node.reduction == Reduction::all) return false;
  const Prim source = graph.nodes[node.operands[0]].prim;
  if (source == Prim::literal || source == Prim::broadcast || source == Prim::iota) return false;
  return (node.reduction != Reduction::max && node.reduction != Reduction::min) || !only_stabilises(graph, n);
}

// The neighbour of the axis that could be mistaken for it, or -1.
static int64_t neighbour(const PrimGraph& graph, const PrimNode& node, int64_t axis) {
  const Sizes& sizes = graph.nodes[node.operands[0]].sizes;
  for (const int64_t other : {axis + 1, axis - 1})
    if (other >= 0 && other < std::ssize(sizes) && sizes[other] == sizes[axis] && sizes[axis] > 1 &&
        !has_axis(node, other))
      return other;
  return -1;
}

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  const std::vector<uint8_t> live = live_nodes(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (live[n] == 0 || !is_generic(graph, static_cast<int>(n))) continue;
    const PrimNode& node = graph.nodes[n];
    for (size_t a = 0; a < node.axes.size(); ++a) {
      const int64_t other = neighbour(graph, node, node.axes[a]);
      if (other < 0) continue;
      sites.push_back(prim_site(graph, static_cast<int>(n), {static_cast<int64_t>(n), static_cast<int64_t>(a), other}));
      break;
    }
  }
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  std::vector<int64_t>& axes = graph.nodes[site.at[0]].axes;
  axes[site.at[1]] = site.at[2];
  std::sort(axes.begin(), axes.end());
}

extern const Fault fault_decompose_reduce_axis;
constinit const Fault fault_decompose_reduce_axis{
    .id = "decompose.reduce_axis",
    .summary = "a reduction runs over the neighbouring axis of equal size",
    .mechanism = "decompose.axis",
    .origin = "https://github.com/iree-org/iree/issues/23196",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f32[4,4,7]): y = aten.sum.dim_IntList(x, [1]); return y",
};

}  // namespace faultline
