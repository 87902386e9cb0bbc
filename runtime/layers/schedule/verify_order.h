// The promises of order: every wait is satisfied, and no two conflicting accesses are unordered.
#pragma once

#include "runtime/layers/finding.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// Promises deadlock and happens_before, on one launch. The tile program says how many bytes of scratch an operand of a
// compute instruction takes.
std::vector<Finding> verify_order(const TileProgram& tiles, const MachineProgram& program, int launch);

// The rest of verify_schedule, on one launch: transfer, address, mask, operation.
std::vector<Finding> verify_emission(const TileProgram& tiles, const MachineProgram& program, int launch);

}  // namespace faultline
