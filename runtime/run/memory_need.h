// What a case will take of memory, said before it runs.
#pragma once

#include "runtime/core/case.h"

namespace faultline {

// Bytes, by the elements of all inputs and attributes of all calls.
double memory_need(const Program& program);

// Throws UserError where a case needs more than the machine has left.
void check_memory(const Case& test_case);

}  // namespace faultline
