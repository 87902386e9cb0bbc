// What fault rows of `tile` ask of a tile program.
#pragma once

#include <optional>

#include "faults/sites.h"
#include "runtime/layers/tile/tile_program.h"

namespace faultline {

// "<kernel>/<operand>" with what the kernel stores first.
FaultSite loop_site(const TileProgram& program, size_t kernel, std::vector<int64_t> at);
// Loops of a kernel of this kind over results, with more than one trip: by place in TileKernel::loops.
std::vector<size_t> parallel_loops(const TileProgram& program, size_t kernel, LoopKind kind);

// Those loops of all kernels, a site each: `at` is kernel and loop.
std::vector<FaultSite> loop_sites(const TileProgram& program, LoopKind kind);
// The first two core loops of a kernel that has two: `at` is kernel, loop, loop.
std::optional<FaultSite> core_pair(const TileProgram& program, size_t kernel);
void swap_core_pair(TileProgram& program, const FaultSite& pair, const FaultSpec& spec);

// Operands that are copied in for the kernel: by place in TileKernel::operands.
std::vector<size_t> copied_loads(const TileProgram& program, size_t kernel);
bool uses_resident(const TileProgram& program, size_t kernel);

}  // namespace faultline
