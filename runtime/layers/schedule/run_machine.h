// Runs the artefact of `schedule` alone: in order, with ideal synchronisation. Instructions of a launch take effect one
// by one in the order in which the tile program asked for them; tokens are not looked at.
#pragma once

#include "runtime/layers/layout/run_layout.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// `inputs`: the values of each graph input. first_poison: the number of the first poison pattern (ByteMemory).
template <class D>
MemoryRun<D> run_machine(const MachineProgram& program, D& domain, const DenseBuffers<D>& inputs, int first_poison = 0);

}  // namespace faultline
