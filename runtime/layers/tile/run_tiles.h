// Runs the artefact of `tile` alone: kernel by kernel, core by core, tile by tile, with a scratch memory for every
// core. A tile's operands are copied in by their footprints, computed on in scratch, and its stores copied out. Cores
// that share a sum are joined in core order, and the last of them finishes it.
#pragma once

#include "runtime/layers/layout/run_layout.h"
#include "runtime/layers/tile/tile_program.h"

namespace faultline {

// A buffer that stays in scratch has no values in the result. Poison of device memory is numbered from first_poison,
// that of core c's scratch from first_poison + 1000 * (c + 1).
template <class D>
MemoryRun<D> run_tiles(const TileProgram& program, D& domain, const DenseBuffers<D>& inputs, int first_poison = 0);

}  // namespace faultline
