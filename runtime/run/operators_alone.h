// The operators of a program one by one, each on the operands that eager gave it.
#pragma once

#include <vector>

#include "runtime/run/subject.h"

namespace faultline {

// One case for each call of the program's body outside of branches, of the first call of the program: its operands are
// parameters with eager's types and bytes. Calls whose operands are no dense tensors of their own, or were written
// later, are left out; nothing where eager raises.
std::vector<Case> operators_alone(const Subject& subject);

}  // namespace faultline
