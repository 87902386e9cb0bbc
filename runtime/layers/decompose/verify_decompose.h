// The static verifier of layer 2. It shares no code with the pass: types of nodes are worked out again from their
// operands, and what must be written back or alias an input follows from the schemas of the segment's calls.
#pragma once

#include <vector>

#include "runtime/ir/prim.h"
#include "runtime/ir/segment.h"
#include "runtime/layers/finding.h"

namespace faultline {

// Promises: order (operands come first), arity, dtype, shape, inputs, outputs, alias, write_back. Empty for the output
// of decompose(). Never throws, whatever the graph holds.
std::vector<Finding> verify_decompose(const Segment& segment, const PrimGraph& graph);

// The part that needs no segment: order, arity, dtype and shape of every node.
std::vector<Finding> verify_nodes(const PrimGraph& graph);

}  // namespace faultline
