// The small constant of a normalisation is added to the reciprocal root where it should be added under the root.
#include "faults/prim_edit.h"

namespace faultline {

// Smaller constants change less than rounding does.
static double epsilon_least(DType dtype) { return dtype == DType::f64 || dtype == DType::f32 ? 1e-3 : 5e-2; }

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  const std::vector<uint8_t> live = live_nodes(graph);
  const std::vector<int> uses = use_counts(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (live[n] == 0 || !is_pointwise(graph.nodes[n], Function::rsqrt)) continue;
    const int inner = graph.nodes[n].operands[0];
    if (!is_pointwise(graph.nodes[inner], Function::add) || uses[inner] != 1) continue;
    const PrimNode* epsilon = literal_above(graph, graph.nodes[inner].operands[1]);
    if (epsilon != nullptr && epsilon->literal.real >= epsilon_least(epsilon->dtype))
      sites.push_back(prim_site(graph, static_cast<int>(n), {static_cast<int64_t>(n), inner}));
  }
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  PrimNode &outer = graph.nodes[site.at[0]], &inner = graph.nodes[site.at[1]];
  outer.function = Function::add;
  outer.operands = {static_cast<int>(site.at[1]), inner.operands[1]};
  inner.function = Function::rsqrt;
  inner.operands.pop_back();
}

extern const Fault fault_decompose_eps_order;
constinit const Fault fault_decompose_eps_order{
    .id = "decompose.eps_order",
    .summary = "rsqrt(v) + eps is computed where rsqrt(v + eps) is due",
    .mechanism = "decompose.formula",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/1305",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f32[5,67], w: f32[67]): y = aten.rms_norm(x, [67], w, 0.125); return y",
};

}  // namespace faultline
