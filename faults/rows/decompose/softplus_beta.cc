// softplus with a beta other than 1 is log(1 + exp(beta x)) / beta; the division at the end is missing, so that what
// lies below the threshold is beta times too large.
#include <cmath>

#include "faults/prim_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  const std::vector<uint8_t> live = live_nodes(graph);
  const std::vector<int> uses = use_counts(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const PrimNode& node = graph.nodes[n];
    if (live[n] == 0 || !is_pointwise(node, Function::div) || element_count(node.sizes) == 0) continue;
    if (node.origin < 0 || operation_of(graph, node) != "softplus") continue;
    const int beta = through_shape(graph, node.operands[1]);
    if (graph.nodes[beta].prim == Prim::literal && uses[beta] == 1 &&
        std::abs(graph.nodes[beta].literal.real - 1) >= 0.0625)
      sites.push_back(prim_site(graph, static_cast<int>(n), {beta}));
  }
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  graph.nodes[site.at[0]].literal.real = 1;
}

extern const Fault fault_decompose_softplus_beta;
constinit const Fault fault_decompose_softplus_beta{
    .id = "decompose.softplus_beta",
    .summary = "the division by beta at the end of softplus is missing",
    .mechanism = "decompose.formula",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/3611",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67]): y = aten.softplus(x, 2.0, 20.0); return y",
};

}  // namespace faultline
