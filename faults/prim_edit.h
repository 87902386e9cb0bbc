// What fault rows of `decompose` ask of a prim graph, and how they change one.
#pragma once

#include <string>
#include <vector>

#include "faults/fault.h"
#include "runtime/ir/prim.h"

namespace faultline {

// By node: whether something that leaves the graph depends on it. An output that is a view of an input reads no node.
std::vector<uint8_t> live_nodes(const PrimGraph& graph);
// By node: how many operands, outputs and write-backs name it.
std::vector<int> use_counts(const PrimGraph& graph);
// The nearest node above that is no reshape, permute or broadcast; the node itself if it is none of these.
int through_shape(const PrimGraph& graph, int node);
// Through shapes: the number that a literal node holds, or nothing.
const PrimNode* literal_above(const PrimGraph& graph, int node);
// "add" for a node that came from a call of aten.add.Tensor. The node must have an origin.
std::string operation_of(const PrimGraph& graph, const PrimNode& node);
bool is_pointwise(const PrimNode& node, Function function);

// A value of `from`'s dtype leaves the graph having passed nothing but arithmetic, sums and movement: what is wrong by
// a little in `from` is then wrong by a little outside as well.
bool leaves_unrounded(const PrimGraph& graph, int from);

// Puts `nodes` behind node `after`; their operands are numbers of the graph as it is afterwards. Uses of `after` turn
// to the last of them, but for those in `nodes`.
void insert_after(PrimGraph& graph, int after, std::vector<PrimNode> nodes);

// "<op>:<origin>/<prim>:<node>": the ATen call that the node came from, and the node.
FaultSite prim_site(const PrimGraph& graph, int node, std::vector<int64_t> at);

}  // namespace faultline
