// Python's arithmetic on the scalars of a program: the right sides of ScalarStatements.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/ir/program.h"

namespace faultline {

// op is one of + - * / // % < <= > >= == != and or not neg; with one operand for `not` and `neg`, two otherwise. Bools
// count as integers in arithmetic; // and % round towards minus infinity; integers that overflow 64 bits and division
// by zero throw UserError (Python would raise or widen).
Scalar evaluate_scalar(std::string_view op, std::span<const Scalar> operands);

// Python's truth value.
bool truth(const Scalar& scalar);
double as_real(const Scalar& scalar);

}  // namespace faultline
