// One node of a graph of prims by itself: its operands are the inputs of a graph, in their order, and its result the
// output.
#pragma once

#include "runtime/ir/prim.h"

namespace faultline {

PrimGraph node_alone(const PrimGraph& graph, const PrimNode& node);

}  // namespace faultline
