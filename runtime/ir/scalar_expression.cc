// Two paths, as in Python: integers stay integers (except under /), anything with a float is float.
#include "runtime/ir/scalar_expression.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "runtime/base/error.h"

namespace faultline {

namespace {

bool is_real(const Scalar& scalar) { return std::holds_alternative<double>(scalar); }

int64_t as_integer(const Scalar& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag ? 1 : 0;
  return std::get<int64_t>(scalar);
}

[[noreturn]] void bad(std::string_view op, std::string_view why) {
  throw UserError(fmt::format("scalar '{}': {}", op, why));
}

template <class T>
std::optional<bool> compare(std::string_view op, T a, T b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  return std::nullopt;
}

// a / b rounded once: 64 bits of quotient and more, the rest kept as a sticky last bit.
double true_quotient(int64_t a, int64_t b) {
  const bool negative = (a < 0) != (b < 0);
  const unsigned __int128 magnitude = a < 0 ? -static_cast<unsigned __int128>(a) : static_cast<unsigned __int128>(a);
  const unsigned __int128 divisor = b < 0 ? -static_cast<unsigned __int128>(b) : static_cast<unsigned __int128>(b);
  if (magnitude == 0) return negative ? -0.0 : 0.0;
  int shift = 0;
  while ((magnitude << shift) >> 126 == 0 && ((magnitude << shift) / divisor) >> 62 == 0) ++shift;
  const unsigned __int128 scaled = magnitude << shift;
  const uint64_t quotient = static_cast<uint64_t>(scaled / divisor) | (scaled % divisor != 0 ? 1 : 0);
  const double result = std::ldexp(static_cast<double>(quotient), -shift);
  return negative ? -result : result;
}

// -1, 0 or 1, exactly, where a double would round the integer; nothing for a NaN.
std::optional<int> order(int64_t a, double b) {
  if (std::isnan(b)) return std::nullopt;
  if (b >= 0x1p63) return -1;
  if (b < -0x1p63) return 1;
  const auto whole = static_cast<int64_t>(b);
  if (a != whole) return a < whole ? -1 : 1;
  const double rest = b - static_cast<double>(whole);
  return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

std::optional<bool> compare_mixed(std::string_view op, const Scalar& a, const Scalar& b) {
  const bool swapped = is_real(a);
  const std::optional<int> sign =
      swapped ? order(as_integer(b), std::get<double>(a)) : order(as_integer(a), std::get<double>(b));
  if (!sign) return compare(op, 0.0, std::numeric_limits<double>::quiet_NaN());
  return compare(op, swapped ? -*sign : *sign, 0);
}

Scalar integer_arithmetic(std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  const auto checked = [&](bool overflow) -> Scalar {  // reads the result after it was made
    if (overflow) bad(op, "integer beyond 64 bits");
    return result;
  };
  if (op == "+") return checked(__builtin_add_overflow(a, b, &result));
  if (op == "-") return checked(__builtin_sub_overflow(a, b, &result));
  if (op == "*") return checked(__builtin_mul_overflow(a, b, &result));
  if (b == 0) bad(op, "division by zero");
  if (op == "/") return true_quotient(a, b);
  if (b == -1) {
    if (op == "%") return int64_t{0};
    return checked(__builtin_sub_overflow(int64_t{0}, a, &result));
  }
  const int64_t remainder = a % b;
  const bool down = remainder != 0 && (remainder < 0) != (b < 0);
  if (op == "//") return a / b - (down ? 1 : 0);
  if (op == "%") return remainder + (down ? b : 0);
  bad(op, "no such operator");
}

Scalar real_arithmetic(std::string_view op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (b == 0) bad(op, "division by zero");
  if (op == "/") return a / b;
  // CPython's float_divmod: the floor of the exact quotient, where floor(a / b) would round it up first.
  const double rest = std::fmod(a, b);
  const bool down = rest != 0 && (rest < 0) != (b < 0);
  if (op == "%") return rest == 0 ? std::copysign(0.0, b) : down ? rest + b : rest;
  if (op == "//") {
    const double quotient = (a - rest) / b - (down ? 1 : 0);
    if (quotient == 0) return std::copysign(0.0, a / b);
    const double floored = std::floor(quotient);
    return quotient - floored > 0.5 ? floored + 1 : floored;
  }
  bad(op, "no such operator");
}

}  // namespace

double as_real(const Scalar& scalar) {
  return is_real(scalar) ? std::get<double>(scalar) : static_cast<double>(as_integer(scalar));
}

bool truth(const Scalar& scalar) { return is_real(scalar) ? std::get<double>(scalar) != 0 : as_integer(scalar) != 0; }

Scalar evaluate_scalar(std::string_view op, std::span<const Scalar> operands) {
  const Scalar& a = operands[0];
  if (op == "not") return !truth(a);
  if (op == "neg") {
    if (is_real(a)) return -std::get<double>(a);
    return integer_arithmetic("-", 0, as_integer(a));
  }
  FAULTLINE_CHECK(operands.size() == 2, std::string(op));
  const Scalar& b = operands[1];
  if (op == "and") return truth(a) ? b : a;
  if (op == "or") return truth(a) ? a : b;
  const bool real = is_real(a) || is_real(b);
  const std::optional<bool> ordered = is_real(a) != is_real(b) ? compare_mixed(op, a, b)
                                      : real                   ? compare(op, as_real(a), as_real(b))
                                                               : compare(op, as_integer(a), as_integer(b));
  if (ordered) return *ordered;
  return real ? real_arithmetic(op, as_real(a), as_real(b)) : integer_arithmetic(op, as_integer(a), as_integer(b));
}

}  // namespace faultline
