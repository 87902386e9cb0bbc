// Types of nodes from their operands. Each check states what must hold and reports the first breach of a node.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/layers/decompose/verify_decompose.h"

namespace faultline {
namespace {

std::string text_of(const Sizes& sizes) { return fmt::format("[{}]", fmt::join(sizes, ",")); }

class NodeVerifier {
 public:
  NodeVerifier(const PrimGraph& graph, int index) : graph_(graph), node_(graph.nodes[index]), index_(index) {}

  std::vector<Finding> run() {
    check();
    return std::move(findings_);
  }

 private:
  const PrimNode& operand(int k) const { return graph_.nodes[node_.operands[k]]; }
  size_t rank() const { return node_.sizes.size(); }

  bool require(bool holds, std::string_view promise, const std::string& text) {
    if (!holds && findings_.empty())
      findings_.push_back({"decompose", std::string(promise), fmt::format("%{} {}", index_, name(node_.prim)), text});
    return holds;
  }
  bool require_sizes(const Sizes& expected) {
    return require(node_.sizes == expected, "shape",
                   fmt::format("sizes are {} when they should be {}", text_of(node_.sizes), text_of(expected)));
  }
  bool require_dtype(DType expected) {
    return require(node_.dtype == expected, "dtype",
                   fmt::format("dtype is {} when it should be {}", name(node_.dtype), name(expected)));
  }

  void check() {
    for (const int operand : node_.operands)
      if (!require(operand >= 0 && operand < index_, "order",
                   fmt::format("operand %{} is not before the node", operand)))
        return;
    for (const int64_t size : node_.sizes)
      if (!require(size >= 0, "shape", fmt::format("sizes are {}", text_of(node_.sizes)))) return;
    if (!has_arity()) return;
    switch (node_.prim) {
      case Prim::input: return check_input();
      case Prim::literal: require_dtype(node_.literal.dtype); return;
      case Prim::iota: return check_iota();
      case Prim::pointwise: return check_pointwise();
      case Prim::reduce: return check_reduce();
      case Prim::dot: return check_dot();
      case Prim::concat: return check_concat();
      case Prim::gather: return check_gather();
      default: break;
    }
    if (require_dtype(operand(0).dtype)) check_movement();
  }

  bool has_arity() {
    size_t expected = 1;
    if (node_.prim == Prim::input || node_.prim == Prim::literal || node_.prim == Prim::iota) expected = 0;
    if (node_.prim == Prim::dot || node_.prim == Prim::pad || node_.prim == Prim::gather) expected = 2;
    if (node_.prim == Prim::pointwise) expected = static_cast<size_t>(row(node_.function).arity);
    if (node_.prim == Prim::concat) return require(!node_.operands.empty(), "arity", "no operand");
    return require(node_.operands.size() == expected, "arity",
                   fmt::format("{} operands when there should be {}", node_.operands.size(), expected));
  }

  // Each is a dim of `rank`, none twice.
  bool are_axes(const std::vector<int64_t>& axes, size_t rank) {
    std::vector<int64_t> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    const bool in_range = sorted.empty() || (sorted.front() >= 0 && sorted.back() < static_cast<int64_t>(rank));
    return require(in_range && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "shape",
                   fmt::format("axes {} do not name dims of {}", text_of(axes), rank));
  }
  bool one_axis(size_t rank) {
    return require(node_.axes.size() == 1, "shape", "not just one axis") && are_axes(node_.axes, rank);
  }

  void check_input() {
    if (!require(node_.index >= 0 && node_.index < static_cast<int>(graph_.inputs.size()), "inputs",
                 fmt::format("there is no input {}", node_.index)))
      return;
    const TensorType& type = graph_.inputs[node_.index].type;
    if (require_dtype(type.dtype)) require_sizes(type.sizes);
  }

  void check_iota() {
    if (!one_axis(rank()) || !require_dtype(node_.literal.dtype)) return;
    if (!is_float(node_.dtype)) require(node_.low.size() == 1, "shape", "no step");
  }

  void check_pointwise() {
    for (size_t k = 0; k < node_.operands.size(); ++k)
      if (!require_sizes(operand(static_cast<int>(k)).sizes)) return;
    const FunctionKind kind = row(node_.function).kind;
    const size_t first = node_.function == Function::select ? 1 : 0;
    const DType type = operand(static_cast<int>(first)).dtype;
    for (size_t k = first; k < node_.operands.size(); ++k)
      if (!require(operand(static_cast<int>(k)).dtype == type, "dtype",
                   fmt::format("operands are {} and {}", name(type), name(operand(static_cast<int>(k)).dtype))))
        return;
    if (node_.function == Function::select)
      require(operand(0).dtype == DType::boolean, "dtype", "the condition is no bool");
    if (node_.function == Function::cast) return;
    require_dtype(kind == FunctionKind::compare ? DType::boolean : type);
    check_domain(kind, type);
  }

  // What a function has no meaning on.
  void check_domain(FunctionKind kind, DType type) {
    const std::string text = fmt::format("{} of {}", name(node_.function), name(type));
    if (kind == FunctionKind::integer) require(!is_float(type), "dtype", text);
    if (kind == FunctionKind::arithmetic) require(type != DType::boolean, "dtype", text);
    static constexpr Function on_integers[] = {Function::abs, Function::sign, Function::pow, Function::fmod,
                                               Function::remainder};
    const bool allowed =
        std::find(std::begin(on_integers), std::end(on_integers), node_.function) != std::end(on_integers);
    if (kind == FunctionKind::special) require(is_float(type) || (allowed && type != DType::boolean), "dtype", text);
  }

  void check_reduce() {
    const PrimNode& source = operand(0);
    if (!are_axes(node_.axes, source.sizes.size())) return;
    const bool index = node_.reduction == Reduction::argmax || node_.reduction == Reduction::argmin;
    const bool logical = node_.reduction == Reduction::any || node_.reduction == Reduction::all;
    if (logical && !require(source.dtype == DType::boolean, "dtype", "any and all of what is no bool")) return;
    if (!require_dtype(index ? DType::i64 : source.dtype)) return;
    Sizes left;
    for (size_t d = 0; d < source.sizes.size(); ++d)
      if (std::find(node_.axes.begin(), node_.axes.end(), static_cast<int64_t>(d)) == node_.axes.end())
        left.push_back(source.sizes[d]);
    require_sizes(left);
  }

  void check_dot() {
    const PrimNode &a = operand(0), &b = operand(1);
    if (!require(a.dtype == b.dtype, "dtype", fmt::format("operands are {} and {}", name(a.dtype), name(b.dtype))))
      return;
    if (!require_dtype(a.dtype)) return;
    const bool fits =
        a.sizes.size() == 3 && b.sizes.size() == 3 && a.sizes[0] == b.sizes[0] && a.sizes[2] == b.sizes[1];
    if (require(fits, "shape", fmt::format("{} does not meet {}", text_of(a.sizes), text_of(b.sizes))))
      require_sizes({a.sizes[0], a.sizes[1], b.sizes[2]});
  }

  void check_concat() {
    Sizes total = operand(0).sizes;
    if (!one_axis(total.size())) return;
    total[node_.axes[0]] = 0;
    for (size_t k = 0; k < node_.operands.size(); ++k) {
      const PrimNode& part = operand(static_cast<int>(k));
      if (!require_dtype(part.dtype)) return;
      Sizes rest = part.sizes;
      if (!require(rest.size() == total.size(), "shape", fmt::format("part {} has another rank", k))) return;
      total[node_.axes[0]] += rest[node_.axes[0]];
      rest[node_.axes[0]] = total[node_.axes[0]];
      if (!require(rest == total, "shape", fmt::format("part {} has other sizes", k))) return;
    }
    require_sizes(total);
  }

  void check_gather() {
    const PrimNode &source = operand(0), &index = operand(1);
    if (!one_axis(source.sizes.size()) || !require_dtype(source.dtype)) return;
    if (!require(is_integer(index.dtype), "dtype", fmt::format("the index is {}", name(index.dtype)))) return;
    Sizes expected(source.sizes.begin(), source.sizes.begin() + node_.axes[0]);
    expected.insert(expected.end(), index.sizes.begin(), index.sizes.end());
    expected.insert(expected.end(), source.sizes.begin() + node_.axes[0] + 1, source.sizes.end());
    require_sizes(expected);
  }

  void check_movement() {
    const Sizes& from = operand(0).sizes;
    switch (node_.prim) {
      case Prim::reshape:
        require(element_count(from) == element_count(node_.sizes), "shape",
                fmt::format("{} and {} differ in elements", text_of(from), text_of(node_.sizes)));
        return;
      case Prim::flip:
        if (are_axes(node_.axes, from.size())) require_sizes(from);
        return;
      case Prim::permute: {
        if (!are_axes(node_.axes, from.size())) return;
        if (!require(node_.axes.size() == from.size(), "shape", "axes are no permutation")) return;
        Sizes expected;
        for (const int64_t axis : node_.axes) expected.push_back(from[axis]);
        require_sizes(expected);
        return;
      }
      case Prim::broadcast: return check_broadcast(from);
      case Prim::slice: return check_slice(from);
      case Prim::window: return check_window(from);
      default: return check_pad(from);
    }
  }

  void check_broadcast(const Sizes& from) {
    if (!are_axes(node_.axes, rank())) return;
    if (!require(node_.axes.size() == from.size() && std::is_sorted(node_.axes.begin(), node_.axes.end()), "shape",
                 "not one rising axis a dim of the operand"))
      return;
    for (size_t d = 0; d < from.size(); ++d)
      if (!require(from[d] == 1 || from[d] == node_.sizes[node_.axes[d]], "shape",
                   fmt::format("{} does not broadcast to {}", text_of(from), text_of(node_.sizes))))
        return;
  }

  void check_slice(const Sizes& from) {
    const bool ranks =
        node_.low.size() == from.size() && node_.step_sizes.size() == from.size() && rank() == from.size();
    if (!require(ranks, "shape", "not one start and step a dim")) return;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t last = node_.low[d] + (node_.sizes[d] - 1) * node_.step_sizes[d];
      const bool inside = node_.low[d] >= 0 && node_.step_sizes[d] > 0 && (node_.sizes[d] == 0 || last < from[d]);
      if (!require(inside, "shape", fmt::format("dim {} of {} is read up to {}", d, text_of(from), last))) return;
    }
  }

  void check_window(const Sizes& from) {
    if (!one_axis(from.size())) return;
    const std::vector<int64_t>& step = node_.step_sizes;
    if (!require(step.size() == 2 && step[0] > 0 && step[1] > 0, "shape",
                 "not one step for positions and one for taps"))
      return;
    const size_t axis = static_cast<size_t>(node_.axes[0]);
    if (!require(rank() == from.size() + 1, "shape", "not one dim more than the operand")) return;
    const int64_t positions = node_.sizes[axis], taps = node_.sizes[axis + 1];
    Sizes expected = from;
    expected[axis] = positions;
    expected.insert(expected.begin() + node_.axes[0] + 1, taps);
    if (!require_sizes(expected)) return;
    const int64_t last = (positions - 1) * step[0] + (taps - 1) * step[1];
    require(positions == 0 || taps == 0 || last < from[axis], "shape",
            fmt::format("dim {} of {} is read up to {}", axis, text_of(from), last));
  }

  void check_pad(const Sizes& from) {
    const PrimNode& fill = operand(1);
    require(node_.low.size() == from.size() && rank() == from.size(), "shape", "not one start a dim");
    require(fill.prim == Prim::literal && fill.sizes.empty(), "arity", "the fill is no literal");
    require(fill.dtype == node_.dtype, "dtype", fmt::format("the fill is {}", name(fill.dtype)));
  }

  const PrimGraph& graph_;
  const PrimNode& node_;
  int index_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> verify_nodes(const PrimGraph& graph) {
  std::vector<Finding> findings;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (Finding& finding : NodeVerifier(graph, static_cast<int>(i)).run()) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace faultline
