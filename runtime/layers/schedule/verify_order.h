// The parts of verify_schedule that look at one launch.
#pragma once

#include "runtime/layers/finding.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// Promises signal, deadlock and happens_before: every wait is satisfied, conflicting accesses are ordered, and ordered
// as the tile program asks for. The tile program says how many bytes of scratch an operand of a compute instruction
// takes.
std::vector<Finding> verify_order(const TileProgram& tiles, const MachineProgram& program, int launch);

// Promises transfer, address and symbol: copies move what the tiles' footprints need, to and from where the tiles lie.
std::vector<Finding> verify_copies(const TileProgram& tiles, const MachineProgram& program, int launch);

// Promises mask, address, operation, immediate and transfer of compute instructions and of the ring.
std::vector<Finding> verify_emission(const TileProgram& tiles, const MachineProgram& program, int launch);

}  // namespace faultline
