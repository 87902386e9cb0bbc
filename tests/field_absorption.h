// Why a graph that was given other operands has the same fingerprints: the nodes at which a difference ends, each with
// the reason for which the field is allowed to lose it there. What has no such reason is a hole.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/layers/decompose/node_alone.h"
#include "runtime/layers/decompose/run_prims.h"
#include "tests/fuse_graphs.h"

namespace faultline::field_test {

using FieldValues = std::vector<Fingerprint>;

inline bool same(DType dtype, const FieldValues& a, const FieldValues& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [dtype](const Fingerprint& x, const Fingerprint& y) {
    return FingerprintDomain::equal(dtype, x, y);
  });
}

inline bool only_moves(Prim prim) { return prim >= Prim::reshape; }

// The node alone, with these operands, element by element from the definitions of the prims, which shares no code with
// what the stack runs.
inline FieldValues by_definition(const PrimGraph& graph, const PrimNode& node,
                                 const std::vector<const FieldValues*>& operands) {
  const PrimGraph alone = node_alone(graph, node);
  DenseBuffers<FingerprintDomain> inputs;
  for (const FieldValues* operand : operands) inputs.push_back(*operand);
  FingerprintDomain domain(host_arithmetic());
  return fuse_test::PrimReference<FingerprintDomain>(alone, domain, inputs).run().back();
}

// A node of which some operand differs and the result does not. `before` and `after`: the values of its operands.
class Absorption {
 public:
  Absorption(const PrimGraph& graph, const PrimNode& node, std::vector<const FieldValues*> before,
             std::vector<const FieldValues*> after, const FieldValues& result)
      : graph_(graph), node_(node), before_(std::move(before)), after_(std::move(after)), result_(result) {}

  // "maximum", "integers", ...; empty: none. `swapped`: the two operands have changed places, nothing else.
  std::string reason(bool swapped) const {
    if (only_moves(node_.prim))
      return same(node_.dtype, by_definition(graph_, node_, after_), result_) ? "not read" : "";
    if (!is_float(node_.dtype)) return "integers and truth values";
    if (swapped) return tells_nothing_anywhere() ? "NaN, infinities, zeros and constants" : "";
    switch (node_.prim) {
      case Prim::pointwise: return pointwise();
      case Prim::reduce:
        if (node_.reduction != Reduction::sum && node_.reduction != Reduction::prod) return "extreme";
        return nowhere_alone() ? "the same terms, or terms that cancel" : "";
      case Prim::dot: return dot();
      default: return "";
    }
  }

 private:
  // Where the operands differ.
  bool tells_nothing_anywhere() const {
    for (size_t i = 0; i < result_.size(); ++i)
      if (differs(0, i) && !tells_nothing(result_[i]) && !is_zero(result_[i])) return false;
    return true;
  }
  // Each element is one of the operands'.
  bool is_one_of_two() const {
    for (size_t i = 0; i < result_.size(); ++i)
      if (!result_[i].has(Fingerprint::special) &&
          !FingerprintDomain::equal(node_.dtype, (*after_[0])[i], result_[i]) &&
          !FingerprintDomain::equal(node_.dtype, (*after_[1])[i], result_[i]))
        return false;
    return true;
  }
  // Each element is the operand that the condition says.
  bool is_what_was_taken() const {
    for (size_t i = 0; i < result_.size(); ++i)
      if (!FingerprintDomain::equal(node_.dtype, (*after_[(*after_[0])[i].integer != 0 ? 1 : 2])[i], result_[i]))
        return false;
    return true;
  }
  bool differs(size_t k, size_t i) const {
    return !FingerprintDomain::equal(graph_.nodes[node_.operands[k]].dtype, (*before_[k])[i], (*after_[k])[i]);
  }
  static bool is_zero(const Fingerprint& value) { return !value.has(Fingerprint::special) && value.a == 0; }
  // Nothing of the operands can be seen in it: NaN, an infinity, a constant such as 1 for all of them.
  static bool tells_nothing(const Fingerprint& value) { return value.has(Fingerprint::special) || value.is_constant(); }

  std::string pointwise() const {
    const FunctionKind kind = row(node_.function).kind;
    if (node_.function == Function::select) return is_what_was_taken() ? "not taken" : "";
    if (kind == FunctionKind::order) return is_one_of_two() ? "maximum or minimum" : "";
    bool cancels = false;
    for (size_t i = 0; i < result_.size(); ++i) {
      int differing = 0;
      for (size_t k = 0; k < node_.operands.size(); ++k) differing += differs(k, i);
      if (differing == 0 || tells_nothing(result_[i]) || is_zero(result_[i])) continue;
      if (differing == 1) return "";
      cancels = true;
    }
    return cancels ? "operands that cancel" : "NaN, infinities, zeros and constants";
  }

  // No result with exactly one term that differs, but products with 0.
  bool nowhere_alone() const {
    const bool is_product = node_.reduction == Reduction::prod;
    const Sizes& from = graph_.nodes[node_.operands[0]].sizes;
    if (before_[0]->size() != after_[0]->size()) return false;
    const Sizes strides = contiguous_strides(from);
    std::vector<int> differing(result_.size(), 0);
    for (size_t flat = 0; flat < before_[0]->size(); ++flat) {
      if (!differs(0, flat)) continue;
      int64_t place = 0;
      for (size_t d = 0; d < from.size(); ++d)
        if (std::find(node_.axes.begin(), node_.axes.end(), static_cast<int64_t>(d)) == node_.axes.end())
          place = place * from[d] + static_cast<int64_t>(flat) / strides[d] % from[d];
      ++differing[static_cast<size_t>(place)];
    }
    for (size_t i = 0; i < result_.size(); ++i)
      if (differing[i] == 1 && !tells_nothing(result_[i]) && !(is_product && is_zero(result_[i]))) return false;
    return true;
  }

  // Terms of one result that differ and do not meet 0 on both sides.
  std::string dot() const {
    const Sizes &a = graph_.nodes[node_.operands[0]].sizes, &b = graph_.nodes[node_.operands[1]].sizes;
    const int64_t depth = a[2];
    if (std::ssize(*after_[0]) != element_count(a) || std::ssize(*after_[1]) != element_count(b)) return "";
    for (size_t i = 0; i < result_.size(); ++i) {
      if (tells_nothing(result_[i])) continue;
      const auto column = static_cast<int64_t>(i) % node_.sizes[2], row = static_cast<int64_t>(i) / node_.sizes[2];
      const int64_t batch = row / node_.sizes[1];
      int differing = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const auto left = static_cast<size_t>(((a[0] == 1 ? 0 : batch) * a[1] + row % a[1]) * depth + k);
        const auto right = static_cast<size_t>(((b[0] == 1 ? 0 : batch) * depth + k) * b[2] + column);
        const bool changes = (differs(0, left) && !(is_zero((*before_[1])[right]) && is_zero((*after_[1])[right]))) ||
                             (differs(1, right) && !(is_zero((*before_[0])[left]) && is_zero((*after_[0])[left])));
        differing += changes;
      }
      if (differing == 1) return "";
    }
    return "the same terms, or terms that cancel";
  }

  const PrimGraph& graph_;
  const PrimNode& node_;
  std::vector<const FieldValues*> before_, after_;
  const FieldValues& result_;
};

}  // namespace faultline::field_test
