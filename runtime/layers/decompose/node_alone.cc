// Types of the operands are those that the graph gives them.
#include "runtime/layers/decompose/node_alone.h"

#include <utility>

namespace faultline {

PrimGraph node_alone(const PrimGraph& graph, const PrimNode& node) {
  PrimGraph alone;
  PrimNode mine = node;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    PrimNode input;
    input.dtype = graph.nodes[node.operands[k]].dtype;
    input.sizes = graph.nodes[node.operands[k]].sizes;
    mine.operands[k] = input.index = static_cast<int>(k);
    alone.inputs.push_back({"", contiguous_type(input.dtype, input.sizes), -1});
    alone.nodes.push_back(std::move(input));
  }
  alone.nodes.push_back(std::move(mine));
  GraphOutput output;
  output.node = static_cast<int>(node.operands.size());
  alone.outputs.push_back(output);
  return alone;
}

}  // namespace faultline
