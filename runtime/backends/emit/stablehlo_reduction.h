// Reductions and contractions in StableHLO, with the accumulator's type written out.
#pragma once

#include "runtime/backends/emit/stablehlo_writer.h"
#include "runtime/ir/prim.h"

namespace faultline {

HloValue emit_reduction(HloWriter& writer, const PrimNode& node, const HloValue& operand);
// [B, M, K] x [B, K, N].
HloValue emit_dot(HloWriter& writer, const PrimNode& node, const HloValue& a, const HloValue& b);

}  // namespace faultline
