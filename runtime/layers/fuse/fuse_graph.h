// The prim graph as `fuse` works on it: rewritten, and knowing which prims each node stands for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/layers/fuse/fuse.h"

namespace faultline {

struct FuseNode {
  PrimNode prim;  // operands are FuseGraph nodes
  int held = -1;  // the prim node whose values it has; -1: a helper (a flattened tensor on the way of a reshape)
  std::vector<int> origins;  // what a kernel that computes it accounts for, sorted
};

struct FuseGraph {
  std::vector<FuseNode> nodes;            // in topological order
  std::vector<int> outputs, write_backs;  // nodes; -1: an output that is a view of an input
  std::vector<std::vector<int>> users;    // by node, ascending, one entry a use
  std::vector<uint8_t> kept;              // by node: is output or write-back
};

// Graph rewriting, one walk in topological order: folds literal-only nodes, merges equal nodes, splits reshapes that no
// access map can say into two through a flat tensor, copies inputs that leave as they are, and drops what nobody uses.
FuseGraph rewrite(const PrimGraph& graph, const FuseOptions& options);

// Prims that only say where elements come from.
bool is_movement(Prim prim);

// The literal node that a node equals in every domain, if its operands are literal nodes and the value is exact: field
// arithmetic on shortest decimals, machine arithmetic and fp64 must all agree. `operands` are the operand nodes, in
// order.
std::optional<PrimNode> folded(const PrimNode& node, const std::vector<const PrimNode*>& operands);

// Everything that makes two nodes equal, operands by number and literals by bits; origins do not count.
std::string key_of(const PrimNode& node);

}  // namespace faultline
