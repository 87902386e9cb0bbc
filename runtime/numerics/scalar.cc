// Scalar functions on doubles and on wrapping integers, one switch each.
#include "runtime/numerics/scalar.h"

#include <cmath>
#include <limits>
#include <string>

#include "runtime/base/error.h"

namespace faultline {

// Round half to even without touching the rounding mode.
static double round_half_even(double a) {
  if (!(std::fabs(a) < 0x1p52)) return a;
  return std::copysign(std::fabs(a) + 0x1p52 - 0x1p52, a);
}

static double floored_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double special_function(Function function, double a, double b) {
  switch (function) {
    case Function::floor: return std::floor(a);
    case Function::ceil: return std::ceil(a);
    case Function::round: return round_half_even(a);
    case Function::trunc: return std::trunc(a);
    case Function::exp: return std::exp(a);
    case Function::exp2: return std::exp2(a);
    case Function::expm1: return std::expm1(a);
    case Function::log: return std::log(a);
    case Function::log2: return std::log2(a);
    case Function::log10: return std::log10(a);
    case Function::log1p: return std::log1p(a);
    case Function::sin: return std::sin(a);
    case Function::cos: return std::cos(a);
    case Function::tan: return std::tan(a);
    case Function::asin: return std::asin(a);
    case Function::acos: return std::acos(a);
    case Function::atan: return std::atan(a);
    case Function::sinh: return std::sinh(a);
    case Function::cosh: return std::cosh(a);
    case Function::tanh: return std::tanh(a);
    case Function::asinh: return std::asinh(a);
    case Function::acosh: return std::acosh(a);
    case Function::atanh: return std::atanh(a);
    case Function::erf: return std::erf(a);
    case Function::erfc: return std::erfc(a);
    case Function::lgamma: {
      int sign = 0;
      return lgamma_r(a, &sign);  // std::lgamma writes a global
    }
    case Function::pow: return std::pow(a, b);
    case Function::fmod: return std::fmod(a, b);
    case Function::remainder: return floored_remainder(a, b);
    case Function::atan2: return std::atan2(a, b);
    default: fail_check(__FILE__, __LINE__, "a function of floats", std::string(name(function)));
  }
}

// Two's complement arithmetic without undefined behaviour.
static int64_t wrapping(uint64_t value) { return static_cast<int64_t>(value); }

static int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1;
  for (uint64_t square = static_cast<uint64_t>(base); exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return wrapping(result);
}

static int64_t truncating_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? wrapping(-static_cast<uint64_t>(a)) : a / b;
}

static int64_t truncating_rest(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

static int64_t bit_function(Function function, int64_t a, int64_t b, int width) {
  const bool shifts_out = b < 0 || b >= width;
  switch (function) {
    case Function::bitwise_not: return ~a;
    case Function::bitwise_and: return a & b;
    case Function::bitwise_or: return a | b;
    case Function::bitwise_xor: return a ^ b;
    case Function::shift_left: return shifts_out ? 0 : wrapping(static_cast<uint64_t>(a) << b);
    case Function::shift_right: return shifts_out ? (a < 0 ? -1 : 0) : a >> b;
    default: fail_check(__FILE__, __LINE__, "a function of integers", std::string(name(function)));
  }
}

static int64_t unwrapped_function(Function function, int64_t a, int64_t b, int width) {
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (function) {
    case Function::neg: return wrapping(-ua);
    case Function::add: return wrapping(ua + ub);
    case Function::sub: return wrapping(ua - ub);
    case Function::mul: return wrapping(ua * ub);
    case Function::div: return truncating_quotient(a, b);
    case Function::maximum: return a > b ? a : b;
    case Function::minimum: return a < b ? a : b;
    case Function::abs: return a < 0 ? wrapping(-ua) : a;
    case Function::sign: return (a > 0) - (a < 0);
    case Function::floor:
    case Function::ceil:
    case Function::round:
    case Function::trunc:
    case Function::refresh: return a;
    case Function::pow: return integer_power(a, b);
    case Function::fmod: return truncating_rest(a, b);
    case Function::remainder: {
      const int64_t rest = truncating_rest(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    default: return bit_function(function, a, b, width);
  }
}

int64_t integer_function(Function function, Format format, int64_t a, int64_t b) {
  if (format == Format::bool8 && function == Function::bitwise_not) return a == 0;
  return wrap_integer(format, unwrapped_function(function, a, b, 8 * byte_size(format)));
}

template <class Number>
static bool compare(Function function, Number a, Number b) {
  switch (function) {
    case Function::equal: return a == b;
    case Function::not_equal: return a != b;
    case Function::less: return a < b;
    case Function::less_equal: return a <= b;
    case Function::greater: return a > b;
    case Function::greater_equal: return a >= b;
    case Function::logical_not: return a == 0;
    default: break;
  }
  if (function == Function::is_nan) return a != a;
  FAULTLINE_CHECK(function == Function::is_infinite, std::string(name(function)));
  if constexpr (std::numeric_limits<Number>::has_infinity) return std::isinf(a);
  return false;
}

bool scalar_compare(Function function, double a, double b) { return compare(function, a, b); }
bool scalar_compare(Function function, int64_t a, int64_t b) { return compare(function, a, b); }

int64_t float_to_integer(Format format, double value) {
  if (format == Format::bool8) return value != 0;
  const bool through_32_bits = format == Format::i32 || format == Format::i16 || format == Format::i8;
  const double edge = through_32_bits ? 0x1p31 : 0x1p63;
  const double whole = std::trunc(value);
  const bool inside = whole >= -edge && whole < edge;
  const int64_t least = least_integer(through_32_bits ? Format::i32 : Format::i64);
  return wrap_integer(format, inside ? static_cast<int64_t>(whole) : least);
}

double sticky_double(int64_t value) {
  const uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (magnitude <= uint64_t{1} << 53) return static_cast<double>(value);
  const int excess = 64 - 53 - __builtin_clzll(magnitude);
  const uint64_t rest = magnitude & ((uint64_t{1} << excess) - 1);
  const uint64_t kept = (magnitude >> excess) | (rest != 0);
  const double scaled = std::ldexp(static_cast<double>(kept), excess);
  return value < 0 ? -scaled : scaled;
}

}  // namespace faultline
