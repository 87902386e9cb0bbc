// exp(x) stands where exp(x - max(x)) is due: the same number on paper, an overflow for large x. Strikes only where the
// graph itself says that x is large: scaled up, moved up, or a long product of matrices.
#include <cmath>

#include "faults/prim_edit.h"

namespace faultline {

// What x must be a multiple of one unit of, so that exp(x) overflows somewhere in nearly every row of ordinary numbers:
// beyond log(65504) = 11.1 in f16 (and 22.9 where a machine keeps it as DL16), beyond 88.7 in f32 and bf16.
static double scale_least(DType dtype) { return dtype == DType::f16 ? 32 : 128; }

static double scale_of(const PrimGraph& graph, int node) {
  const PrimNode& x = graph.nodes[through_shape(graph, node)];
  if (x.prim == Prim::dot) return std::sqrt(static_cast<double>(graph.nodes[x.operands[0]].sizes[2]));
  if (x.prim != Prim::pointwise) return 1;
  if (x.function == Function::refresh) return scale_of(graph, x.operands[0]);
  if (x.operands.size() != 2) return 1;
  const PrimNode* literal = literal_above(graph, x.operands[1]);
  if (literal == nullptr) return 1;
  const double number = literal->literal.real;
  if (x.function == Function::mul) return std::abs(number) * scale_of(graph, x.operands[0]);
  if (x.function == Function::div) return scale_of(graph, x.operands[0]) / std::abs(number);
  return x.function == Function::add ? number : 1;
}

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  const std::vector<uint8_t> live = live_nodes(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (live[n] == 0 || !is_pointwise(graph.nodes[n], Function::exp)) continue;
    const int shifted = graph.nodes[n].operands[0];
    if (!is_pointwise(graph.nodes[shifted], Function::sub)) continue;
    const int x = graph.nodes[shifted].operands[0];
    const PrimNode& top = graph.nodes[through_shape(graph, graph.nodes[shifted].operands[1])];
    const bool stabilises = top.prim == Prim::reduce && top.reduction == Reduction::max && top.operands[0] == x;
    if (stabilises && scale_of(graph, x) >= scale_least(graph.nodes[x].dtype))
      sites.push_back(prim_site(graph, static_cast<int>(n), {shifted}));
  }
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  PrimNode& shifted = graph.nodes[site.at[0]];
  shifted.function = Function::refresh;
  shifted.operands.pop_back();
}

extern const Fault fault_decompose_softmax_unstable;
constinit const Fault fault_decompose_softmax_unstable{
    .id = "decompose.softmax_unstable",
    .summary = "softmax does not subtract the maximum before it exponentiates",
    .mechanism = "decompose.unstable",
    .origin = "https://github.com/pytorch/pytorch/issues/183767",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): s = aten.mul.Scalar(x, 64.0); y = aten.softmax.int(s, 1); return y",
};

}  // namespace faultline
