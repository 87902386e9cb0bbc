// Of which outputs the sign of every zero is part of the result (docs/sources.md, Oracle: order of decisions).
#pragma once

#include <set>
#include <string>

#include "runtime/backends/model/model_stack.h"

namespace faultline {

// Names of outputs that are made of inputs and constants by movement, and by functions that say which zero they give
// (neg, abs, ceil, floor, trunc, round, reciprocal), in one type of which the machine keeps both zeros. The stack is
// that without faults. Empty where a program is compiled in several parts: what one part takes in, another made.
std::set<std::string> outputs_with_signed_zeros(const ModelStack& stack, const Arithmetic& arithmetic);

}  // namespace faultline
