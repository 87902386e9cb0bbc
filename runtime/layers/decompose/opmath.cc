// One walk in topological order: nodes of computing calls are made in the wide type, with a cast wherever a value
// crosses from one call to another.
#include "runtime/layers/decompose/opmath.h"

#include <map>
#include <set>

namespace faultline {

namespace {

class Widening {
 public:
  Widening(const PrimGraph& graph, DType wide) : graph_(graph), wide_(wide) {
    for (const PrimNode& node : graph.nodes)
      if (computes(node) && is_narrow(node)) computing_.insert(node.origin);
  }

  PrimGraph run() {
    result_ = graph_;
    result_.nodes.clear();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) add(static_cast<int>(n));
    for (GraphOutput& output : result_.outputs)
      if (output.node >= 0) output.node = as_declared(output.node);
    for (WriteBack& write : result_.write_backs) write.node = as_declared(write.node);
    return std::move(result_);
  }

 private:
  static bool computes(const PrimNode& node) {
    if (node.prim == Prim::reduce || node.prim == Prim::dot) return true;
    return node.prim == Prim::pointwise && node.function != Function::select && node.function != Function::refresh;
  }
  bool is_narrow(const PrimNode& node) const {
    return is_float(node.dtype) && byte_size(node.dtype) < byte_size(wide_);
  }
  bool is_widened(int node) const {
    const PrimNode& prim = graph_.nodes[node];
    return prim.prim != Prim::input && is_narrow(prim) && computing_.contains(prim.origin);
  }

  int cast(int from, DType dtype, int origin) {
    PrimNode node;
    node.prim = Prim::pointwise;
    node.function = Function::cast;
    node.dtype = dtype;
    node.sizes = result_.nodes[from].sizes;
    node.operands = {from};
    node.origin = origin;
    result_.nodes.push_back(std::move(node));
    return static_cast<int>(result_.nodes.size()) - 1;
  }
  // The node in the type that the graph gave it.
  int as_declared(int node) {
    if (!is_widened(node)) return made_[node];
    const auto known = narrowed_.find(node);
    if (known != narrowed_.end()) return known->second;
    return narrowed_[node] = cast(made_[node], graph_.nodes[node].dtype, graph_.nodes[node].origin);
  }
  int as_wide(int node, int origin) {
    if (is_widened(node) && graph_.nodes[node].origin == origin) return made_[node];
    const auto known = widened_.find(node);
    if (known != widened_.end()) return known->second;
    return widened_[node] = cast(as_declared(node), wide_, origin);
  }

  void add(int index) {
    PrimNode node = graph_.nodes[index];
    const bool inside = node.prim != Prim::input && computing_.contains(node.origin);
    for (int& operand : node.operands)
      operand = inside && is_narrow(graph_.nodes[operand]) ? as_wide(operand, node.origin) : as_declared(operand);
    if (is_widened(index)) {
      node.dtype = wide_;
      node.literal.dtype = node.prim == Prim::literal ? wide_ : node.literal.dtype;
    }
    const bool idle = node.prim == Prim::pointwise && node.function == Function::cast &&
                      result_.nodes[node.operands[0]].dtype == node.dtype;
    if (idle) {
      made_.push_back(node.operands[0]);
      return;
    }
    result_.nodes.push_back(std::move(node));
    made_.push_back(static_cast<int>(result_.nodes.size()) - 1);
  }

  const PrimGraph& graph_;
  DType wide_;
  std::set<int> computing_;  // origins
  PrimGraph result_;
  std::vector<int> made_;  // by node of graph_
  std::map<int, int> narrowed_, widened_;
};

}  // namespace

PrimGraph with_opmath(const PrimGraph& graph, DType wide) { return Widening(graph, wide).run(); }

}  // namespace faultline
