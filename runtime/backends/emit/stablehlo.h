// A prim graph as the text of a StableHLO module, which XLA and IREE take. Function @main has one dense argument per
// graph input and one dense result per graph output, then one per write-back; strides and aliases are the caller's.
//
// A node becomes the operation of the same meaning where there is one, and otherwise several: StableHLO leaves open
// what a division by zero or a shift by the width gives, and prims do not. What prims leave open stays open (a float
// out of an integer's range, an index out of bounds, the order of a sum, the sign of a zero that maximum returns).
// Functions that StableHLO lacks are those of CHLO (erf, asin, ...), as in what JAX hands over.
//
// Sums, products and contractions of floats of at most 16 bits, and the functions of CHLO on them, are computed in f32
// and cast once, explicitly; f8e4m3 computes everything in f32, because its overflow saturates in PyTorch and is NaN in
// StableHLO. Contractions ask for
// the highest precision, so that an accelerator may not round f32 factors.
#pragma once

#include <string>

#include "runtime/ir/prim.h"

namespace faultline {

// Nodes that nothing asks for are left out. The graph must satisfy verify(). Throws Rejected, with the prim or function
// as subject, for what has no meaning in StableHLO: a window or gather into nothing, shifts of bools.
std::string to_stablehlo(const PrimGraph& graph);

}  // namespace faultline
