// Layer 5. For every kernel: the target divides the iteration space over cores; what a core holds is cut into
// sequential tiles until all operands' tiles fit the scratch memory together; then scratch addresses are planned, first
// buffers that stay in scratch between kernels, then the operands of each kernel (scratch_plan.h).
#pragma once

#include "runtime/layers/finding.h"
#include "runtime/layers/tile/tile_policy.h"

namespace faultline {

// Throws Rejected("capacity") when even the smallest tiles of a kernel do not fit the scratch memory, Rejected("span")
// when no division keeps a core within the machine's span.
TileProgram tile(const LayoutProgram& layout, const TilePolicy& policy);

// Every broken promise of tile_program.h; empty for the output of tile().
std::vector<Finding> verify_tile(const TileProgram& program, const TilePolicy& policy);

}  // namespace faultline
