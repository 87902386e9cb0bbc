// Prims of the decomposed graph carried out with torch's operators: the "decompose" rung of the ladder, prim by prim.
//
// Operands and results are logical tensors: any strides going in, row-major coming out (over a storage that may be
// shared and larger). The 8-bit floats have no arithmetic in eager torch: they compute in f32 and round back, and move
// as bytes.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "runtime/eager/executor.h"
#include "runtime/ir/prim.h"

namespace faultline {

using EagerPrimResult = std::variant<Tensor, EagerError>;

// `node` is any prim but `input`. Operands of another dtype than the function wants are cast to it first. A result of
// other sizes than the node's is an error `unsupported`: the graph contradicts itself.
EagerPrimResult run_prim(OpExecutor& executor, const PrimNode& node, std::span<const Tensor> operands);

// The value of every node, in order; the first error ends the run.
std::variant<std::vector<Tensor>, EagerError> run_prims(OpExecutor& executor, const PrimGraph& graph,
                                                        std::span<const Tensor> inputs);

}  // namespace faultline
