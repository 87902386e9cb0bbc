// Layer 2: from a segment of ATen calls to a functional prim graph. Mutation becomes new values and write-backs, views
// become movement of the current contents, ATen ops become prims by the op table, types are promoted as PyTorch does.
//
// What decompose decides about dtypes: a node has the dtype that eager's result has; intermediates of a composite op
// (softmax, layer_norm) stay in the input's dtype. In which format a machine then adds is its Arithmetic's affair.
#pragma once

#include "runtime/ir/prim.h"
#include "runtime/ir/segment.h"

namespace faultline {

// Throws Rejected: subject is the op and the text "no decomposition" for an op that has no row; for a call that its row
// cannot take, the text says why. Throws UserError where eager raises too (sizes that do not broadcast).
PrimGraph decompose(const Segment& segment);

}  // namespace faultline
