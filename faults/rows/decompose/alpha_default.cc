// The factor `alpha` (or `beta`) of a sum falls to its default: x + alpha * y is computed as x + y.
#include <algorithm>
#include <cmath>

#include "faults/prim_edit.h"

namespace faultline {

static bool has_factor(std::string_view operation) {
  constexpr std::string_view kOperations[] = {"add",   "add_",  "sub",     "sub_",   "subtract", "rsub",
                                              "addmm", "addmv", "baddbmm", "addmm_", "addcmul",  "addcmul_"};
  return std::find(std::begin(kOperations), std::end(kOperations), operation) != std::end(kOperations);
}

static bool is_zero(const PrimGraph& graph, int node) {
  const PrimNode* number = literal_above(graph, node);
  return number != nullptr && number->literal.real == 0 && number->literal.integer == 0;
}

static bool differs_from_one(const Literal& literal) {
  return is_float(literal.dtype) ? std::abs(literal.real - 1) >= 0.0625 : literal.integer != 1;
}

// The factor's literal node when `node` is the product with it, else -1. Of addcmul, the factors that are no literals
// are tensors.
static int factor_of(const PrimGraph& graph, const PrimNode& node) {
  if (!is_pointwise(node, Function::mul) || node.origin < 0 || element_count(node.sizes) == 0) return -1;
  if (!has_factor(operation_of(graph, node)) || is_zero(graph, node.operands[0])) return -1;
  const int factor = through_shape(graph, node.operands[1]);
  const PrimNode& literal = graph.nodes[factor];
  return literal.prim == Prim::literal && differs_from_one(literal.literal) ? factor : -1;
}

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  const std::vector<uint8_t> live = live_nodes(graph);
  const std::vector<int> uses = use_counts(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const int factor = live[n] != 0 ? factor_of(graph, graph.nodes[n]) : -1;
    if (factor >= 0 && uses[factor] == 1) sites.push_back(prim_site(graph, static_cast<int>(n), {factor}));
  }
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  Literal& literal = graph.nodes[site.at[0]].literal;
  literal = is_float(literal.dtype) ? real_literal(1, literal.dtype) : integer_literal(1, literal.dtype);
}

extern const Fault fault_decompose_alpha_default;
constinit const Fault fault_decompose_alpha_default{
    .id = "decompose.alpha_default",
    .summary = "the factor alpha of a sum falls to its default of 1",
    .mechanism = "decompose.attr",
    .origin = "https://github.com/pytorch/pytorch/issues/195442",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67], y: f16[67]): z = aten.sub.Tensor(x, y, alpha = 2); return z",
};

}  // namespace faultline
