// Scratch addresses: first fit by live range, aligned, ties broken by name. A kernel's operands live in that kernel
// alone; a buffer that stays in scratch (where the target allows it) lives from the kernel that stores it to the last
// that loads it.
#pragma once

#include "runtime/layers/tile/tile_policy.h"

namespace faultline {

// Fills in the operands' addresses and the residencies. The operands' extents stand already and fit by themselves.
void plan_scratch(TileProgram& program, const TilePolicy& policy);

// Why a buffer cannot stay in scratch between kernels, as far as its users go; empty when it can.
std::string residency_problem(const TileProgram& program, int buffer);
// Of that, where cores work on other parts of it than they have stored.
std::string share_problem(const TileProgram& program, int buffer);

}  // namespace faultline
