// Error propagation through scalar functions. Monotone derivatives are taken at the worst point of the box; functions
// with jumps test whether the box holds one.
#include "runtime/exact/bounded.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/exact/error_propagation.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string reasons_text(uint32_t reasons) {
  constexpr std::string_view names[] = {"branch", "denominator", "unbounded", "undefined", "overflow",
                                        "domain", "torn",        "poison",    "special"};
  std::string text;
  for (size_t i = 0; i < std::size(names); ++i) {
    if ((reasons >> i & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += names[i];
  }
  return text;
}

static double table_ulps(Function function) {
  switch (function) {
    case Function::add:
    case Function::sub:
    case Function::mul:
    case Function::div:
    case Function::reciprocal:
    case Function::sqrt:
    case Function::remainder: return 0.5;
    case Function::log1p: return 2;
    case Function::rsqrt: return 2.5;
    case Function::exp:
    case Function::exp2:
    case Function::expm1:
    case Function::log:
    case Function::log2:
    case Function::log10: return 3;
    case Function::sin:
    case Function::cos:
    case Function::sinh:
    case Function::cosh: return 4;
    case Function::asin:
    case Function::acos:
    case Function::erf:
    case Function::erfc: return 4.5;
    case Function::tan:
    case Function::tanh:
    case Function::asinh:
    case Function::acosh:
    case Function::atanh: return 5;
    case Function::atan:
    case Function::atan2: return 6;
    case Function::pow:
    case Function::lgamma: return 16;
    default: return 0;
  }
}

double ErrorProfile::ulps_of(Function function) const {
  if (const auto found = ulps.find(function); found != ulps.end()) return found->second;
  if (fast_division && (function == Function::div || function == Function::reciprocal)) return 2.5;
  if (fast_division && function == Function::sqrt) return 3;
  if (wide_erf && (function == Function::erf || function == Function::erfc)) return 16;
  return table_ulps(function);
}

bool exact_in_double(Function function, double y, double a, double b) {
  switch (function) {
    case Function::add: return (y - a) == b && (y - b) == a;
    case Function::sub: return (a - y) == b && (y + b) == a;
    case Function::mul: return std::fma(a, b, -y) == 0 && (y != 0 || a == 0 || b == 0);
    case Function::div: return std::fma(y, b, -a) == 0 && (y != 0 || a == 0);
    case Function::reciprocal: return std::fma(y, a, -1) == 0;
    case Function::sqrt: return std::fma(y, y, -a) == 0;
    case Function::remainder: return y == std::fmod(a, b);
    default: return table_ulps(function) == 0;
  }
}

namespace {

// Nearest to and farthest from zero of |x| +- e.
double nearest_zero(const Bounded& x) { return std::max(std::fabs(x.value) - x.bound, 0.0); }
double farthest(const Bounded& x) { return std::fabs(x.value) + x.bound; }

// f is monotone over the box: the worst end.
double at_ends(Function function, double y, const Bounded& x) {
  const double below = scalar_function(function, x.value - x.bound, 0),
               above = scalar_function(function, x.value + x.bound, 0);
  return std::max(std::fabs(above - y), std::fabs(y - below));
}

// A step function: the largest change over the box; a change at all is an unstable branch.
double at_steps(Function function, double y, const Bounded& x, uint32_t& reasons) {
  const double change = at_ends(function, y, x);
  if (change > 0) reasons |= Bounded::branch;
  return change;
}

double square_root(double y, const Bounded& x, uint32_t& reasons) {
  if (x.value < x.bound) {
    reasons |= Bounded::domain;
    return std::sqrt(std::max(x.value, 0.0) + x.bound);
  }
  return x.bound / (y + std::sqrt(x.value - x.bound));
}

// log((x + shift) +- e), in units of the natural logarithm.
double logarithm(double argument, double error, uint32_t& reasons) {
  if (argument <= error) return give_up(reasons, Bounded::domain);
  return -std::log1p(-error / argument);
}

// The derivative of lgamma, which rises between poles: the larger end is the largest slope.
double digamma(double x) {
  if (x <= 0) return digamma(1 - x) - M_PI / std::tan(M_PI * x);
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double inverse = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse / 252));
}

double log_gamma(const Bounded& x, uint32_t& reasons) {
  const double low = x.value - x.bound, high = x.value + x.bound;
  if (low <= 0 && std::floor(low) != std::floor(high)) return give_up(reasons, Bounded::domain);
  return x.bound * std::max(std::fabs(digamma(low)), std::fabs(digamma(high))) * (1 + 1e-6);
}

double tangent(double y, const Bounded& x, uint32_t& reasons) {
  if (std::floor((x.value - x.bound) / M_PI + 0.5) != std::floor((x.value + x.bound) / M_PI + 0.5))
    return give_up(reasons, Bounded::domain);
  return at_ends(Function::tan, y, x);
}

// Functions that end at low and high: a box that reaches past an end is cut there and named.
double within(Function function, double y, const Bounded& x, double low, double high, uint32_t& reasons) {
  if (x.value - x.bound >= low && x.value + x.bound <= high) return at_ends(function, y, x);
  reasons |= Bounded::domain;
  const double below = scalar_function(function, std::max(x.value - x.bound, low), 0);
  const double above = scalar_function(function, std::min(x.value + x.bound, high), 0);
  return std::max(std::fabs(above - y), std::fabs(y - below));
}

double power(double y, const Bounded& a, const Bounded& b, uint32_t& reasons) {
  if (b.bound == 0 && b.value == std::trunc(b.value) && b.value >= 0)
    return std::pow(farthest(a), b.value) - std::pow(std::fabs(a.value), b.value);
  if (a.value <= a.bound && (a.bound > 0 || b.bound > 0)) {
    const bool sure_negative = a.value < -a.bound && b.bound == 0 && b.value == std::trunc(b.value);
    if (!sure_negative) return give_up(reasons, Bounded::domain);
  }
  const double size = std::fabs(a.value);
  const double base_part = -std::log1p(-a.bound / size) * farthest(b);
  const double exponent_part = b.bound * std::fabs(std::log(size));
  return std::fabs(y) * std::expm1(base_part + exponent_part);
}

double remainder_error(Function function, const Bounded& a, const Bounded& b, uint32_t& reasons) {
  if (std::fabs(b.value) <= b.bound) return give_up(reasons, Bounded::denominator);
  const auto quotient = [&](double x, double y) {
    return function == Function::fmod ? std::trunc(x / y) : std::floor(x / y);
  };
  const double whole = quotient(a.value, b.value);
  for (const double x : {a.value - a.bound, a.value + a.bound})
    for (const double y : {b.value - b.bound, b.value + b.bound})
      if (quotient(x, y) != whole) {
        reasons |= Bounded::branch;
        return farthest(b);
      }
  return a.bound + std::fabs(whole) * b.bound;
}

double angle(const Bounded& y, const Bounded& x, uint32_t& reasons) {
  const double error = std::hypot(x.bound, y.bound), radius = std::hypot(x.value, y.value);
  if (radius <= error) return give_up(reasons, Bounded::domain);
  if (x.value < 0 && std::fabs(y.value) <= y.bound) {  // across the cut at pi
    reasons |= Bounded::branch;
    return 2 * M_PI;
  }
  return error / (radius - error);
}

double special_error(Function function, double y, const Bounded& x, uint32_t& reasons) {
  const double e = x.bound, near = nearest_zero(x), far = farthest(x);
  switch (function) {
    case Function::exp2: return y * std::expm1(e * M_LN2);
    case Function::expm1: return (y + 1) * std::expm1(e);
    case Function::log: return logarithm(x.value, e, reasons);
    case Function::log2: return logarithm(x.value, e, reasons) * M_LOG2E;
    case Function::log10: return logarithm(x.value, e, reasons) * M_LOG10E;
    case Function::log1p: return logarithm(x.value + 1, e, reasons);
    case Function::sin: return e * std::min(1.0, std::fabs(std::cos(x.value)) + e);
    case Function::cos: return e * std::min(1.0, std::fabs(std::sin(x.value)) + e);
    case Function::tan: return tangent(y, x, reasons);
    case Function::asin:
    case Function::acos:
    case Function::atanh: return within(function, y, x, -1, 1, reasons);
    case Function::acosh: return within(function, y, x, 1, kInfinity, reasons);
    case Function::atan: return e / (1 + near * near);
    case Function::sinh: return e * std::cosh(far);
    case Function::cosh: return e * std::sinh(far);
    case Function::tanh: return e / (std::cosh(near) * std::cosh(near));
    case Function::asinh: return e / std::sqrt(1 + near * near);
    case Function::erf:
    case Function::erfc: return e * M_2_SQRTPI * std::exp(-near * near);
    case Function::lgamma: return log_gamma(x, reasons);
    default: fail_check(__FILE__, __LINE__, "a function of floats to floats", std::string(name(function)));
  }
}

int class_of(double y) { return std::isnan(y) ? 2 : std::isinf(y) ? (y > 0 ? 1 : -1) : 0; }

}  // namespace

double rare_error(Function function, double y, const Bounded& a, const Bounded& b, uint32_t& reasons) {
  switch (function) {
    case Function::sign:
    case Function::floor:
    case Function::ceil:
    case Function::round:
    case Function::trunc: return at_steps(function, y, a, reasons);
    case Function::sqrt: return square_root(y, a, reasons);
    case Function::rsqrt:
      if (a.value <= a.bound) return give_up(reasons, Bounded::denominator);
      return y * std::expm1(-0.5 * std::log1p(-a.bound / a.value));
    case Function::pow: return power(y, a, b, reasons);
    case Function::fmod:
    case Function::remainder: return remainder_error(function, a, b, reasons);
    case Function::atan2: return angle(a, b, reasons);
    default: return special_error(function, y, a, reasons);
  }
}

// A negative base to an exponent that may be a whole number, between the corners of the box.
static bool may_be_whole_power(const Bounded& a, const Bounded& b) {
  return a.value < a.bound && std::floor(b.value + b.bound) >= std::ceil(b.value - b.bound);
}

double special_values_error(Function function, double y, const Bounded& a, const Bounded& b, uint32_t& reasons) {
  if (function == Function::pow && std::isnan(y) && may_be_whole_power(a, b)) return give_up(reasons, Bounded::domain);
  // Infinities and NaN are exact if every corner of the box agrees; a number, as max(-inf, x) is, varies with them.
  double error = 0;
  for (const double left : {a.value - a.bound, a.value + a.bound})
    for (const double right : {b.value - b.bound, b.value + b.bound}) {
      const double corner = scalar_function(function, left, right);
      if (class_of(corner) != class_of(y)) return give_up(reasons, Bounded::domain);
      if (std::isfinite(y)) error = std::max(error, std::fabs(corner - y));
    }
  return error;
}

Agreement agreement(double value, double bound, double number, double largest) {
  const auto said = [](bool agrees) { return agrees ? Agreement::within : Agreement::beyond; };
  if (std::isnan(value)) return said(std::isnan(number));
  if (!std::isfinite(bound)) return Agreement::undecided;  // a bound that is no number is no pass
  if (std::isinf(value)) return said(number == value);
  if (std::isfinite(number)) return said(std::fabs(number - value) <= bound);
  const bool at_edge = std::fabs(value) + bound > largest && std::isinf(number) && (number > 0) == (value > 0);
  return at_edge ? Agreement::undecided : Agreement::beyond;
}

}  // namespace faultline
