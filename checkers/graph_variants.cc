// One function a kind. A variant keeps every type of the graph, so that it is as valid as the graph itself.
#include "checkers/graph_variants.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline {

namespace {

bool contains(const std::vector<int64_t>& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

void turn_uses(PrimGraph& graph, int from, int to, size_t first_user) {
  for (size_t n = first_user; n < graph.nodes.size(); ++n)
    std::replace(graph.nodes[n].operands.begin(), graph.nodes[n].operands.end(), from, to);
}

// A reduction, or the dims of a broadcast operand, along another dim of the same extent.
GraphVariant other_axis(int node, size_t place, int64_t axis, int64_t other) {
  return {fmt::format("%{} along dim {} in place of {}", node, other, axis), [=](PrimGraph& graph) {
            std::vector<int64_t>& axes = graph.nodes[node].axes;
            axes[place] = other;
            std::sort(axes.begin(), axes.end());
          }};
}

std::vector<GraphVariant> reductions_along_another(const PrimGraph& graph) {
  std::vector<GraphVariant> variants;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const PrimNode& node = graph.nodes[n];
    if (node.prim != Prim::reduce) continue;
    const Sizes& sizes = graph.nodes[node.operands[0]].sizes;
    for (size_t a = 0; a < node.axes.size(); ++a)
      for (int64_t other = 0; other < std::ssize(sizes); ++other) {
        // What is left must have the same sizes in the same order.
        std::vector<int64_t> axes = node.axes;
        axes[a] = other;
        Sizes left;
        for (int64_t d = 0; d < std::ssize(sizes); ++d)
          if (!contains(axes, d)) left.push_back(sizes[d]);
        if (!contains(node.axes, other) && left == node.sizes)
          variants.push_back(other_axis(static_cast<int>(n), a, node.axes[a], other));
      }
  }
  return variants;
}

std::vector<GraphVariant> broadcasts_along_another(const PrimGraph& graph) {
  std::vector<GraphVariant> variants;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const PrimNode& node = graph.nodes[n];
    if (node.prim != Prim::broadcast) continue;
    const Sizes& from = graph.nodes[node.operands[0]].sizes;
    for (size_t a = 0; a < node.axes.size(); ++a)
      for (int64_t other = 0; other < std::ssize(node.sizes); ++other) {
        if (contains(node.axes, other) || from[a] == 1 || node.sizes[other] != from[a]) continue;
        std::vector<int64_t> axes = node.axes;
        axes[a] = other;
        if (std::is_sorted(axes.begin(), axes.end()))
          variants.push_back(other_axis(static_cast<int>(n), a, node.axes[a], other));
      }
  }
  return variants;
}

std::vector<GraphVariant> other_reductions(const PrimGraph& graph) {
  using enum Reduction;
  static constexpr Reduction kNumbers[] = {sum, prod, max, min}, kIndices[] = {argmax, argmin}, kTruths[] = {any, all};
  const std::span<const Reduction> families[] = {kNumbers, kIndices, kTruths};
  std::vector<GraphVariant> variants;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].prim != Prim::reduce) continue;
    const Reduction own = graph.nodes[n].reduction;
    for (const std::span<const Reduction> family : families) {
      if (std::find(family.begin(), family.end(), own) == family.end()) continue;
      for (const Reduction other : family)
        if (other != own)
          variants.push_back({fmt::format("%{} as {} in place of {}", n, name(other), name(own)),
                              [n, other](PrimGraph& mine) { mine.nodes[n].reduction = other; }});
    }
  }
  return variants;
}

// Views and slices from the beginning of what they look at.
void start_slice(PrimGraph& graph, size_t node) {
  std::fill(graph.nodes[node].low.begin(), graph.nodes[node].low.end(), 0);
}
void start_view(PrimGraph& graph, size_t output) {
  GraphOutput& view = graph.outputs[output];
  view.type.offset = graph.inputs[view.alias_input].type.offset;
}

std::vector<GraphVariant> from_the_start(const PrimGraph& graph) {
  std::vector<size_t> slices, views;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].prim == Prim::slice &&
        std::any_of(graph.nodes[n].low.begin(), graph.nodes[n].low.end(), [](int64_t low) { return low > 0; }))
      slices.push_back(n);
  for (size_t o = 0; o < graph.outputs.size(); ++o)
    if (graph.outputs[o].alias_input >= 0) views.push_back(o);
  std::vector<GraphVariant> variants;
  for (const size_t slice : slices)
    variants.push_back({fmt::format("%{} from the start of its operand", slice),
                        [slice](PrimGraph& mine) { start_slice(mine, slice); }});
  for (const size_t view : views)
    variants.push_back({fmt::format("output {} from the start of its base", graph.outputs[view].name),
                        [view](PrimGraph& mine) { start_view(mine, view); }});
  if (variants.size() > 1)
    variants.push_back({"every view from the start of its base", [slices, views](PrimGraph& mine) {
                          for (const size_t slice : slices) start_slice(mine, slice);
                          for (const size_t view : views) start_view(mine, view);
                        }});
  return variants;
}

// Two nodes that do the same with one operand in common and another that differs: the earlier stands for both.
std::vector<GraphVariant> merged(const PrimGraph& graph) {
  std::vector<GraphVariant> variants;
  for (size_t b = 1; b < graph.nodes.size(); ++b)
    for (size_t a = 0; a < b; ++a) {
      const PrimNode &first = graph.nodes[a], &second = graph.nodes[b];
      if (first.prim != Prim::pointwise || second.prim != Prim::pointwise || first.function != second.function ||
          first.dtype != second.dtype || first.sizes != second.sizes || first.operands.size() != 2)
        continue;
      const bool left = first.operands[0] == second.operands[0], right = first.operands[1] == second.operands[1];
      if (left == right) continue;
      variants.push_back({fmt::format("%{} in place of %{}", a, b), [a, b](PrimGraph& mine) {
                            turn_uses(mine, static_cast<int>(b), static_cast<int>(a), b + 1);
                            for (GraphOutput& output : mine.outputs)
                              if (output.node == static_cast<int>(b)) output.node = static_cast<int>(a);
                            for (WriteBack& write : mine.write_backs)
                              if (write.node == static_cast<int>(b)) write.node = static_cast<int>(a);
                          }});
    }
  return variants;
}

// What is written to an input is read as what the input held before.
std::vector<GraphVariant> old_contents(const PrimGraph& graph) {
  std::vector<GraphVariant> variants;
  for (const WriteBack& write : graph.write_backs) {
    const PrimNode& written = graph.nodes[write.node];
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const PrimNode& node = graph.nodes[n];
      if (node.prim != Prim::input || node.index != write.input || node.dtype != written.dtype ||
          node.sizes != written.sizes || static_cast<int>(n) >= write.node)
        continue;
      const int before = static_cast<int>(n), after = write.node;
      variants.push_back(
          {fmt::format("input {} read as before it is written", graph.inputs[write.input].name),
           [before, after](PrimGraph& mine) { turn_uses(mine, after, before, static_cast<size_t>(after) + 1); }});
    }
  }
  return variants;
}

constexpr VariantKind kKinds[] = {
    {"other_axis", reductions_along_another},
    {"other_broadcast", broadcasts_along_another},
    {"other_reduction", other_reductions},
    {"view_start", from_the_start},
    {"merged", merged},
    {"old_contents", old_contents},
};

}  // namespace

std::span<const VariantKind> variant_kinds() { return kKinds; }

}  // namespace faultline
