// Machine programs in the shape of SuperDSC, the JSON that Spyre's compiler hands to its backend: one descriptor a
// launch, with the field names of https://github.com/torch-spyre/interface-specs as far as this
// model has them. It says what the launch's instructions do, whatever a fault has done to them; nothing reads it back.
//
// Dims are called as in the kernel's text: i0, i1, r2. What the public schema leaves to the backend (coordinate folds,
// loop orders) is not there. Two loads of one buffer share its address in device memory.
#pragma once

#include <nlohmann/json.hpp>

#include "runtime/layers/schedule/machine_program.h"

namespace faultline::spyre {

// An array, one {name: {...}} a launch.
nlohmann::ordered_json superdsc(const MachineProgram& program);

}  // namespace faultline::spyre
