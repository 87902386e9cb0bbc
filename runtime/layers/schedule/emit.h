// Emission of one kernel's launch.
#pragma once

#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

Launch emit_launch(const TileProgram& program, int kernel);

}  // namespace faultline
