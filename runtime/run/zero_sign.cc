// Back from each output to what it is made of.
#include "runtime/run/zero_sign.h"

#include <vector>

namespace faultline {

namespace {

bool says_which_zero(const PrimNode& node) {
  switch (node.prim) {
    case Prim::reduce:
    case Prim::dot:
    case Prim::iota: return false;
    case Prim::pointwise: break;
    default: return true;
  }
  switch (node.function) {
    case Function::neg:
    case Function::abs:
    case Function::ceil:
    case Function::floor:
    case Function::trunc:
    case Function::round:
    case Function::reciprocal:
    case Function::select: return true;
    default: return false;
  }
}

// Operands of other types (a mask, an index) only choose.
bool promises(const PrimGraph& graph, int output) {
  std::vector<int> open = {output};
  std::vector<uint8_t> seen(graph.nodes.size(), 0);
  while (!open.empty()) {
    const int index = open.back();
    open.pop_back();
    if (seen[index]) continue;
    seen[index] = 1;
    const PrimNode& node = graph.nodes[index];
    if (!is_float(node.dtype)) continue;
    if (node.dtype != graph.nodes[output].dtype || !says_which_zero(node)) return false;
    open.insert(open.end(), node.operands.begin(), node.operands.end());
  }
  return true;
}

bool keeps_both_zeros(const Arithmetic& arithmetic, DType dtype) {
  if (!is_float(dtype) || !arithmetic.has(dtype) || arithmetic.compute_format(dtype) == Format::dl16) return false;
  const uint64_t negative = encode(host_format(dtype), -0.0);
  return arithmetic.device_to_host(dtype, arithmetic.host_to_device(dtype, negative)) == negative;
}

}  // namespace

std::set<std::string> outputs_with_signed_zeros(const ModelStack& stack, const Arithmetic& arithmetic) {
  std::set<std::string> names;
  if (stack.entries() != 1 || stack.compiled(0) == nullptr || stack.depth(0) < Layer::decompose) return names;
  const PrimGraph& graph = stack.compiled(0)->prims;
  for (const GraphOutput& output : graph.outputs)
    if (output.node >= 0 && keeps_both_zeros(arithmetic, output.type.dtype) && promises(graph, output.node))
      names.insert(output.name);
  return names;
}

}  // namespace faultline
