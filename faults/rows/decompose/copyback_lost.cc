// A tensor is written in place and the functional graph has its new value, but the step that puts the value back into
// the caller's memory is missing: the results are right, the input keeps its old contents.
#include <fmt/format.h>

#include "faults/prim_edit.h"

namespace faultline {

// An input that is written with its own old value would not change.
static bool changes_input(const PrimGraph& graph, const WriteBack& write) {
  const PrimNode& node = graph.nodes[write.node];
  return element_count(write.type.sizes) > 0 && !(node.prim == Prim::input && node.index == write.input);
}

static std::vector<FaultSite> applies(const PrimGraph& graph) {
  std::vector<FaultSite> sites;
  for (size_t w = 0; w < graph.write_backs.size(); ++w)
    if (changes_input(graph, graph.write_backs[w]))
      sites.push_back({fmt::format("write_back:{}/{}", w, graph.inputs[graph.write_backs[w].input].name),
                       {static_cast<int64_t>(w)}});
  return sites;
}

static void apply(PrimGraph& graph, const FaultSite& site, const FaultSpec&) {
  graph.write_backs.erase(graph.write_backs.begin() + site.at[0]);
}

extern const Fault fault_decompose_copyback_lost;
constinit const Fault fault_decompose_copyback_lost{
    .id = "decompose.copyback_lost",
    .summary = "the new value of an input that is written in place is not written back",
    .mechanism = "decompose.copyback",
    .origin = "https://github.com/pytorch/xla/issues/6796",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[65], y: f16[65]): z = aten.add_.Tensor(x, y); w = aten.neg(z); return w",
};

}  // namespace faultline
