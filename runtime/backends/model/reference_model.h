// A model for programs that another compiler compiles: its arithmetic, for the references of the rung `decompose`. It
// has no layers below; who asks for them has taken a wrong turn.
#pragma once

#include <memory>

#include "runtime/targets/target.h"

namespace faultline {

// `arithmetic` outlives it. Units are those of vectors of 64 bytes, by which such compilers cut loops.
std::unique_ptr<TargetModel> reference_model(const Arithmetic& arithmetic);

}  // namespace faultline
