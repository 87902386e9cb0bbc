// Scalar functions in StableHLO, with the corner cases that runtime/numerics/scalar.h defines.
#pragma once

#include "runtime/backends/emit/stablehlo_writer.h"
#include "runtime/ir/function.h"

namespace faultline {

// The function of operands of one shape, in `dtype`. Throws Rejected for what no machine has: a shift of bools.
HloValue emit_function(HloWriter& writer, Function function, DType dtype, const std::vector<HloValue>& operands);

}  // namespace faultline
