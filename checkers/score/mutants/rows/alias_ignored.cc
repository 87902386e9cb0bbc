// An operand is changed in place through one name and read through another. The program keeps a copy of its own under
// the second name, taken before the change, and never learns that the two share memory.
#include "checkers/score/mutants/places.h"

namespace faultline {

static int input_node(const PrimGraph& graph, int input) {
  int node = 0;
  while (graph.nodes[node].prim != Prim::input || graph.nodes[node].index != input) ++node;
  return node;
}

static bool plant(Implementation& implementation, const MutantSite& site) {
  PrimGraph& graph = implementation.graph;
  PhiloxStream stream = site.stream("alias");
  if (graph.write_backs.empty()) return false;
  const WriteBack& change = graph.write_backs[static_cast<size_t>(draw(stream, std::ssize(graph.write_backs)))];
  const int copy = input_node(graph, change.input);
  bool read = false;
  for (PrimNode& node : graph.nodes)
    for (int& operand : node.operands)
      if (operand == change.node) {
        operand = copy;
        read = true;
      }
  return read;
}

constinit const Mutant mutant_alias_ignored{
    .id = "alias_ignored",
    .summary = "a change in place is not seen through another name of the operand",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
