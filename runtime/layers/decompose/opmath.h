// A graph as machines run it that compute inside an operation in a wider type than its operands have: f32 inside an
// operation on 16-bit floats, as PyTorch's CPU kernels, Inductor and most accelerators do. Between operations values
// keep their type.
#pragma once

#include "runtime/ir/prim.h"

namespace faultline {

// Every ATen call that computes on floats of fewer bits than `wide` casts them up, computes in `wide` and casts once
// what leaves it. Calls that only move are as they were. Inputs, outputs and write-backs keep their types.
PrimGraph with_opmath(const PrimGraph& graph, DType wide = DType::f32);

}  // namespace faultline
