// Two operands of different float types meet, and the operation is carried out in the narrower type. The result is
// declared in the wider one, so that types agree everywhere; only digits are missing.
#include "faults/prim_edit.h"

namespace faultline {

// The half type that an operand was widened from, if it was.
static std::optional<DType> widened_from(const PrimGraph& graph, int operand) {
  const PrimNode& node = graph.nodes[through_shape(graph, operand)];
  if (!is_pointwise(node, Function::cast)) return std::nullopt;
  const DType from = graph.nodes[node.operands[0]].dtype;
  return from == DType::f16 || from == DType::bf16 ? std::optional(from) : std::nullopt;
}

// One operand was widened to f32 to meet another that is f32 by itself; a number of Python's would not have asked for
// it.
static std::optional<DType> narrower_operand(const PrimGraph& graph, const PrimNode& node) {
  if (node.prim != Prim::pointwise || node.dtype != DType::f32 || node.operands.size() != 2 ||
      row(node.function).kind != FunctionKind::arithmetic)
    return std::nullopt;
  const auto a = widened_from(graph, node.operands[0]), b = widened_from(graph, node.operands[1]);
  if (a.has_value() == b.has_value()) return std::nullopt;
  if (literal_above(graph, node.operands[a ? 1 : 0]) != nullptr) return std::nullopt;
  return a ? a : b;
}

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  const std::vector<uint8_t> live = live_nodes(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const auto narrow = narrower_operand(graph, graph.nodes[n]);
    if (live[n] != 0 && narrow && leaves_unrounded(graph, static_cast<int>(n)))
      sites.push_back(prim_site(graph, static_cast<int>(n), {static_cast<int64_t>(n), static_cast<int64_t>(*narrow)}));
  }
  return sites;
}

static PrimNode cast_of(const PrimGraph& graph, int node, int operand, DType dtype) {
  PrimNode cast;
  cast.prim = Prim::pointwise;
  cast.function = Function::cast;
  cast.dtype = dtype;
  cast.sizes = graph.nodes[node].sizes;
  cast.operands = {operand};
  cast.origin = graph.nodes[node].origin;
  return cast;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  const int node = static_cast<int>(site.at[0]);
  insert_after(
      graph, node,
      {cast_of(graph, node, node, static_cast<DType>(site.at[1])), cast_of(graph, node, node + 1, DType::f32)});
}

extern const Fault fault_decompose_promote_narrow;
constinit const Fault fault_decompose_promote_narrow{
    .id = "decompose.promote_narrow",
    .summary = "an operation on operands of two float types is done in the narrower one",
    .mechanism = "decompose.promote",
    .origin = "https://github.com/pytorch/pytorch/issues/197091",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67], w: f32[67]): y = aten.mul.Tensor(x, w); return y",
};

}  // namespace faultline
