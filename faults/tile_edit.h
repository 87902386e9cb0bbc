// What fault rows of `tile` ask of a tile program.
#pragma once

#include "faults/sites.h"
#include "runtime/layers/tile/tile_program.h"

namespace faultline {

// "<kernel>/<operand>" with what the kernel stores first.
FaultSite loop_site(const TileProgram& program, size_t kernel, std::vector<int64_t> at);
// Loops of a kernel of this kind over results, with more than one trip: by place in TileKernel::loops.
std::vector<size_t> parallel_loops(const TileProgram& program, size_t kernel, LoopKind kind);

// Operands that are copied in for the kernel: by place in TileKernel::operands.
std::vector<size_t> copied_loads(const TileProgram& program, size_t kernel);
bool uses_resident(const TileProgram& program, size_t kernel);

}  // namespace faultline
