// How E passes through the functions that programs are full of, inline so that a function known at compile time costs
// no call; bounded.cc has the others and the values at the edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/exact/bounded.h"

namespace faultline {

inline double give_up(uint32_t& reasons, uint32_t reason) {
  reasons |= reason;
  return std::numeric_limits<double>::infinity();
}

// exp(e) - 1 for e >= 0, at most 1.0001 times too large: e^3/6 + ... < 0.002 e^2 for e <= 0.01.
inline double expm1_above(double e) { return e <= 0.01 ? e + 0.502 * e * e : std::expm1(e); }

inline double division_error(double y, const Bounded& a, const Bounded& b, uint32_t& reasons) {
  if (std::fabs(b.value) <= b.bound) return give_up(reasons, Bounded::denominator);
  return (a.bound + std::fabs(y) * b.bound) / (std::fabs(b.value) - b.bound);
}

// Functions that finite_error does not know.
double rare_error(Function function, double y, const Bounded& a, const Bounded& b, uint32_t& reasons);
// Where y or an operand is infinite or NaN.
double special_values_error(Function function, double y, const Bounded& a, const Bounded& b, uint32_t& reasons);

// y, both operands and both errors are finite.
[[gnu::always_inline]] inline double finite_error(Function function, double y, const Bounded& a, const Bounded& b,
                                                  uint32_t& reasons) {
  switch (function) {
    case Function::neg:
    case Function::abs:
    case Function::refresh: return a.bound;
    case Function::add:
    case Function::sub: return a.bound + b.bound;
    case Function::mul: return std::fabs(a.value) * b.bound + std::fabs(b.value) * a.bound + a.bound * b.bound;
    case Function::div: return division_error(y, a, b, reasons);
    case Function::reciprocal: return division_error(y, Bounded{}, a, reasons);
    case Function::maximum:
    case Function::minimum: return std::max(a.bound, b.bound);
    case Function::exp: return y * expm1_above(a.bound);
    default: return rare_error(function, y, a, b, reasons);
  }
}

// The part of E_out that comes from the operands' errors: max |df/dx| over the box x +- E, times E, for each operand.
// `y` = f(a, b). May add reasons, and then return infinity.
[[gnu::always_inline]] inline double propagated_error(Function function, double y, const Bounded& a, const Bounded& b,
                                                      uint32_t& reasons) {
  if (a.bound == 0 && b.bound == 0) return 0;
  if (!std::isfinite(a.bound) || !std::isfinite(b.bound)) return std::numeric_limits<double>::infinity();
  if (std::isfinite(y) && std::isfinite(a.value) && std::isfinite(b.value))
    return finite_error(function, y, a, b, reasons);
  return special_values_error(function, y, a, b, reasons);
}

}  // namespace faultline
