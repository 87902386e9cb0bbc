// The variance divides by the number of elements where the unbiased estimate divides by one less: the correction fell
// to another default. All results are too small by one part in n.
#include <algorithm>

#include "faults/prim_edit.h"

namespace faultline {

// With more elements the difference drowns in the rounding of the sum.
static int64_t elements_max(DType dtype) { return dtype == DType::f64 || dtype == DType::f32 ? 1024 : 64; }

// How many elements the sum that `node` shows was taken over; 0 if it is none.
static int64_t summed_elements(const PrimGraph& graph, int node) {
  const PrimNode& reduce = graph.nodes[through_shape(graph, node)];
  if (reduce.prim != Prim::reduce || reduce.reduction != Reduction::sum) return 0;
  int64_t count = 1;
  for (const int64_t axis : reduce.axes) count *= graph.nodes[reduce.operands[0]].sizes[axis];
  return count;
}

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  const std::vector<uint8_t> live = live_nodes(graph);
  const std::vector<int> uses = use_counts(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const PrimNode& node = graph.nodes[n];
    if (live[n] == 0 || !is_pointwise(node, Function::div) || !is_float(node.dtype)) continue;
    const int divisor = through_shape(graph, node.operands[1]);
    const int64_t count = summed_elements(graph, node.operands[0]);
    if (graph.nodes[divisor].prim != Prim::literal || uses[divisor] != 1 || element_count(node.sizes) == 0) continue;
    if (count < 2 || count > elements_max(node.dtype)) continue;
    if (graph.nodes[divisor].literal.real == static_cast<double>(count - 1))
      sites.push_back(prim_site(graph, static_cast<int>(n), {divisor, count}));
  }
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  graph.nodes[site.at[0]].literal.real = static_cast<double>(site.at[1]);
}

extern const Fault fault_decompose_variance_divisor;
constinit const Fault fault_decompose_variance_divisor{
    .id = "decompose.variance_divisor",
    .summary = "the unbiased variance is divided by n where n - 1 is due",
    .mechanism = "decompose.formula",
    .origin = "https://github.com/pytorch/pytorch/pull/85839",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f32[5,67]): y = aten.var.correction(x, [1], correction = 1); return y",
};

}  // namespace faultline
