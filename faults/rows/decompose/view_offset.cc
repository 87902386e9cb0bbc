// The offset of a view is lost on the way through functionalisation: an output that is a view of an input starts where
// the input starts, or a slice reads from the beginning of its dim. Sizes and strides stay right.
#include <fmt/format.h>

#include <algorithm>

#include "faults/prim_edit.h"

namespace faultline {

enum Place : int64_t { kOutput, kSlice };

static bool shows_later_part(const PrimGraph& graph, const GraphOutput& output) {
  return output.alias_input >= 0 && element_count(output.type.sizes) > 0 &&
         output.type.offset > graph.inputs[output.alias_input].type.offset;
}

// The first elements of the dim are others than the ones meant, unless the operand is the same all along it.
static bool skips_elements(const PrimGraph& graph, const PrimNode& slice) {
  if (slice.prim != Prim::slice || element_count(slice.sizes) == 0) return false;
  const PrimNode& source = graph.nodes[slice.operands[0]];
  if (source.prim == Prim::literal || source.prim == Prim::broadcast) return false;
  return std::any_of(slice.low.begin(), slice.low.end(), [](int64_t low) { return low > 0; });
}

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  for (size_t o = 0; o < graph.outputs.size(); ++o)
    if (shows_later_part(graph, graph.outputs[o]))
      sites.push_back({fmt::format("output:{}/{}", o, graph.outputs[o].name), {kOutput, static_cast<int64_t>(o)}});
  const std::vector<uint8_t> live = live_nodes(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (live[n] != 0 && skips_elements(graph, graph.nodes[n]))
      sites.push_back(prim_site(graph, static_cast<int>(n), {kSlice, static_cast<int64_t>(n)}));
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  if (site.at[0] == kOutput) {
    GraphOutput& output = graph.outputs[site.at[1]];
    output.type.offset = graph.inputs[output.alias_input].type.offset;
  } else {
    std::vector<int64_t>& low = graph.nodes[site.at[1]].low;
    low.assign(low.size(), 0);
  }
}

extern const Fault fault_decompose_view_offset;
constinit const Fault fault_decompose_view_offset{
    .id = "decompose.view_offset",
    .summary = "a view or a slice starts at the beginning of its base",
    .mechanism = "decompose.alias",
    .origin = "https://github.com/pytorch/pytorch/issues/198095",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f32[5,67]): v = aten.select.int(x, 0, 2); y = aten.mul.Tensor(v, v); return y, v",
};

}  // namespace faultline
