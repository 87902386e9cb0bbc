// The scalar functions on doubles, as PyTorch defines them: the one place that says what `sign(NaN)` or `remainder(-1,
// 3)` is.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/ir/function.h"
#include "runtime/numerics/format.h"

namespace faultline {

// Functions whose result has the operands' type. Comparisons, integer-only functions, select and cast are programmer
// errors. maximum and minimum give NaN if an operand is NaN; round ties to even; remainder takes the divisor's sign,
// fmod the dividend's; sign(NaN) is 0.
// Inline, so that a function known at compile time costs no call; special_function() is its part for libm.
double special_function(Function function, double a, double b);
inline double scalar_function(Function function, double a, double b) {
  switch (function) {
    case Function::neg: return -a;
    case Function::add: return a + b;
    case Function::sub: return a - b;
    case Function::mul: return a * b;
    case Function::div: return a / b;
    case Function::reciprocal: return 1 / a;
    case Function::maximum: return std::isnan(b) ? b : std::isnan(a) || a >= b ? a : b;
    case Function::minimum: return std::isnan(b) ? b : std::isnan(a) || a <= b ? a : b;
    case Function::abs: return std::fabs(a);
    case Function::sign: return static_cast<double>((a > 0) - (a < 0));
    case Function::sqrt: return std::sqrt(a);
    case Function::rsqrt: return 1 / std::sqrt(a);
    case Function::refresh: return a;
    default: return special_function(function, a, b);
  }
}

// The same on integers of a format, wrapped to it. Never traps: division and remainder by zero are 0, shifts by a
// negative count or by the width and more give 0 (left) or the sign (right). pow with a negative exponent is 0 but for
// bases 1 and -1. bitwise_not of bool8 is its negation. Functions that have no meaning on integers (sin, ...) are
// programmer errors.
int64_t integer_function(Function function, Format format, int64_t a, int64_t b);

// Comparisons; for doubles with the usual answers to NaN.
bool scalar_compare(Function function, double a, double b);
bool scalar_compare(Function function, int64_t a, int64_t b);

// Float to integer: toward zero. Out of range the program's meaning is undefined (docs/sources.md, Oracle); here it
// is what x86 instructions leave: NaN and what does not fit give the least integer of i64 or i32; i16 and i8 keep the
// low bits of the i32 result, u8 those of the i64 result. bool8: whether the value is not zero.
int64_t float_to_integer(Format format, double value);

// The integer as a double with its last bit sticky where 53 bits are too few, so that a later rounding to a shorter
// format is the rounding of the integer itself.
double sticky_double(int64_t value);

}  // namespace faultline
