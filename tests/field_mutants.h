// Changes to a graph of prims for the campaign in fingerprints: those that give some prim other operands, and those
// that change nothing but arithmetic or the order of a sum.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checkers/score/mutants/places.h"
#include "runtime/core/choices.h"

namespace faultline::field_test {

struct FieldMutant {
  std::string text;
  PrimGraph graph;
  int node = -1;  // of the graph before; later ones stand `shift` further on
  int shift = 0;
};

inline bool is_sum(const PrimNode& node) {
  return is_float(node.dtype) &&
         (node.prim == Prim::dot || (node.prim == Prim::reduce && node.reduction == Reduction::sum));
}

class MutantMaker {
 public:
  // `used`, by node: whether an output is made of it; only those are changed.
  MutantMaker(const PrimGraph& graph, std::vector<uint8_t> used, Choices& choices)
      : graph_(graph), used_(std::move(used)), choices_(choices) {}

  // With another operand somewhere, or an operand that is read elsewhere; empty text: no place found.
  FieldMutant operand_mutant() {
    for (int attempt = 0; attempt < 30; ++attempt) {
      FieldMutant mutant{"", graph_, static_cast<int>(below(graph_.nodes.size())), 0};
      PrimNode& node = mutant.graph.nodes[mutant.node];
      if (!used_[mutant.node] || element_count(node.sizes) == 0) continue;
      mutant.text = changed(mutant, node);
      if (!mutant.text.empty()) return mutant;
    }
    return {};
  }

  // Another arithmetic, the same operands.
  FieldMutant arithmetic_mutant() {
    for (int attempt = 0; attempt < 30; ++attempt) {
      const int node = static_cast<int>(below(graph_.nodes.size()));
      if (!used_[node] || !is_float(graph_.nodes[node].dtype) || graph_.nodes[node].operands.empty()) continue;
      FieldMutant mutant{"", graph_, node, 0};
      switch (below(5)) {
        case 0: return rounded(node);
        case 1:
          if (is_sum(graph_.nodes[node])) return reversed(node);
          break;
        case 2:
          if (is_sum(graph_.nodes[node])) return split(node);
          break;
        case 3:
          if (graph_.nodes[node].function == Function::div && graph_.nodes[node].prim == Prim::pointwise)
            return by_reciprocal(node);
          break;
        default:
          if (graph_.nodes[node].function == Function::exp && graph_.nodes[node].prim == Prim::pointwise)
            return by_exp2(node);
      }
    }
    return {};
  }

 private:
  uint64_t below(uint64_t n) { return choices_.below(n); }
  template <class Edit>
  FieldMutant edited(std::string text, int node, const Edit& edit) const {
    FieldMutant mutant{std::move(text), with_operands(graph_, node, edit), node, 0};
    mutant.shift = static_cast<int>(mutant.graph.nodes.size() - graph_.nodes.size());
    return mutant;
  }

  std::string changed(FieldMutant& mutant, PrimNode& node) {
    if (is_sum(node) && below(2) == 0) {
      const bool twice = below(2) == 0;
      mutant = terms_changed(mutant.node, twice);
      return mutant.text;
    }
    switch (node.prim) {
      case Prim::slice: return slice_moved(node);
      case Prim::pad: return pad_moved(node);
      case Prim::permute: return permuted_otherwise(node);
      case Prim::broadcast: return broadcast_otherwise(node);
      case Prim::flip: return flip_lost(node);
      case Prim::concat: return parts_swapped(node);
      case Prim::pointwise: return below(3) == 0 ? operands_swapped(node) : other_operand(mutant.node, node);
      case Prim::reduce:
      case Prim::reshape:
      case Prim::dot:
      case Prim::gather: return other_operand(mutant.node, node);
      default: return "";
    }
  }

  std::string other_operand(int index, PrimNode& node) {
    const auto k = static_cast<size_t>(below(node.operands.size()));
    const PrimNode& old = graph_.nodes[node.operands[k]];
    std::vector<int> fitting;
    for (int n = 0; n < index; ++n)
      if (n != node.operands[k] && graph_.nodes[n].dtype == old.dtype && graph_.nodes[n].sizes == old.sizes)
        fitting.push_back(n);
    // An index must stay inside: any other integers may not.
    if (fitting.empty() || (node.prim == Prim::gather && k == 1)) return "";
    node.operands[k] = fitting[static_cast<size_t>(below(fitting.size()))];
    return "another operand";
  }
  static std::string operands_swapped(PrimNode& node) {
    const bool ordered = node.function == Function::sub || node.function == Function::div ||
                         node.function == Function::pow || node.function == Function::atan2;
    if (!ordered || node.operands[0] == node.operands[1]) return "";
    std::swap(node.operands[0], node.operands[1]);
    return "operands swapped";
  }
  std::string slice_moved(PrimNode& node) {
    const Sizes& from = graph_.nodes[node.operands[0]].sizes;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t last = node.low[d] + (node.sizes[d] - 1) * node.step_sizes[d];
      if (last + 1 < from[d]) {
        ++node.low[d];
        return "slice one further on";
      }
      if (node.low[d] > 0) {
        --node.low[d];
        return "slice one before";
      }
    }
    return "";
  }
  std::string pad_moved(PrimNode& node) {
    const Sizes& from = graph_.nodes[node.operands[0]].sizes;
    for (size_t d = 0; d < from.size(); ++d)
      if (node.sizes[d] != from[d] && node.low[d] >= 0) {
        node.low[d] += node.low[d] > 0 ? -1 : 1;
        return "pad one off";
      }
    return "";
  }
  std::string permuted_otherwise(PrimNode& node) {
    const Sizes& from = graph_.nodes[node.operands[0]].sizes;
    for (size_t a = 0; a < node.axes.size(); ++a)
      for (size_t b = a + 1; b < node.axes.size(); ++b)
        if (from[node.axes[a]] == from[node.axes[b]] && from[node.axes[a]] > 1) {
          std::swap(node.axes[a], node.axes[b]);
          return "dims permuted otherwise";
        }
    return "";
  }
  std::string broadcast_otherwise(PrimNode& node) {
    const Sizes& from = graph_.nodes[node.operands[0]].sizes;
    for (size_t d = 0; d < node.axes.size(); ++d)
      for (int64_t other = 0; other < std::ssize(node.sizes); ++other) {
        std::vector<int64_t> axes = node.axes;
        axes[d] = other;
        const bool fits = from[d] > 1 && node.sizes[other] == from[d] && axes != node.axes &&
                          std::is_sorted(axes.begin(), axes.end()) &&
                          std::adjacent_find(axes.begin(), axes.end()) == axes.end();
        if (!fits) continue;
        node.axes = axes;
        return "broadcast along another dim";
      }
    return "";
  }
  static std::string flip_lost(PrimNode& node) {
    if (node.axes.empty()) return "";
    node.axes.pop_back();
    return "flip lost";
  }
  std::string parts_swapped(PrimNode& node) {
    for (size_t k = 1; k < node.operands.size(); ++k) {
      const int a = node.operands[k - 1], b = node.operands[k];
      if (a == b || graph_.nodes[a].sizes != graph_.nodes[b].sizes) continue;
      std::swap(node.operands[k - 1], node.operands[k]);
      return "parts swapped";
    }
    return "";
  }
  FieldMutant terms_changed(int sum, bool twice) const {
    const PrimGraph& graph = graph_;
    if (graph.nodes[graph.nodes[sum].operands[0]].sizes[summed_dim(graph, sum, 0)] == 0) return {};
    return edited(twice ? "last term twice" : "last term dropped", sum,
                  [&](GraphBuilder& builder, std::vector<int> operands) {
                    for (int k = 0; k < std::ssize(operands); ++k) {
                      const int dim = static_cast<int>(summed_dim(graph, sum, k));
                      const int64_t length = builder.size(operands[k], dim);
                      if (!twice) {
                        operands[k] = builder.slice(operands[k], dim, 0, length - 1);
                        continue;
                      }
                      const int parts[] = {operands[k], builder.slice(operands[k], dim, length - 1, 1)};
                      operands[k] = builder.concat(parts, dim);
                    }
                    return operands;
                  });
  }

  FieldMutant rounded(int node) {
    const DType narrow = below(2) == 0 ? DType::bf16 : DType::f16;
    return edited("operands rounded", node, [&](GraphBuilder& builder, std::vector<int> operands) {
      const size_t count = graph_.nodes[node].prim == Prim::pad ? 1 : operands.size();  // its fill stays a literal
      for (int& operand : std::span(operands).first(count))
        if (const DType own = builder.dtype(operand); is_float(own) && own != narrow)
          operand = builder.cast(builder.cast(operand, narrow), own);
      return operands;
    });
  }
  FieldMutant reversed(int node) const {
    return edited("sum reversed", node, [&](GraphBuilder& builder, std::vector<int> operands) {
      for (int k = 0; k < std::ssize(operands); ++k)
        operands[k] = builder.flip(operands[k], {summed_dim(graph_, node, k)});
      return operands;
    });
  }
  // x summed = both halves summed and added: written as a sum over two terms, so that the node stays the last.
  FieldMutant split(int node) const {
    const PrimNode& sum = graph_.nodes[node];
    if (sum.prim != Prim::reduce) return reversed(node);
    return edited("sum split", node, [&](GraphBuilder& builder, std::vector<int> operands) {
      const auto dim = static_cast<int>(sum.axes.back());
      const int64_t length = builder.size(operands[0], dim), half = length / 2;
      std::vector<int> parts;
      for (const auto& [from, count] : {std::pair{int64_t{0}, half}, std::pair{half, length - half}})
        parts.push_back(builder.reduce(Reduction::sum, builder.slice(operands[0], dim, from, count), {dim}, true));
      return std::vector<int>{builder.concat(parts, dim)};
    });
  }
  FieldMutant by_reciprocal(int node) const {
    FieldMutant mutant =
        edited("product with the reciprocal", node, [&](GraphBuilder& builder, std::vector<int> operands) {
          operands[1] = builder.apply(Function::reciprocal, {operands[1]});
          return operands;
        });
    mutant.graph.nodes[node + mutant.shift].function = Function::mul;
    return mutant;
  }
  FieldMutant by_exp2(int node) const {
    FieldMutant mutant =
        edited("exp2 of the multiple of log2 e", node, [&](GraphBuilder& builder, std::vector<int> operands) {
          operands[0] = builder.with(Function::mul, operands[0], 1.4426950408889634);
          return operands;
        });
    mutant.graph.nodes[node + mutant.shift].function = Function::exp2;
    return mutant;
  }

  const PrimGraph& graph_;
  std::vector<uint8_t> used_;
  Choices& choices_;
};

}  // namespace faultline::field_test
