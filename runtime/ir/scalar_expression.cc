// Two paths, as in Python: integers stay integers (except under /), anything with a float is float.
#include "runtime/ir/scalar_expression.h"

#include <fmt/format.h>

#include <cmath>

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

Scalar checked(std::string_view op, bool overflow, int64_t value) {
  if (overflow) bad(op, "integer beyond 64 bits");
  return value;
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

Scalar integer_arithmetic(std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (op == "+") return checked(op, __builtin_add_overflow(a, b, &result), result);
  if (op == "-") return checked(op, __builtin_sub_overflow(a, b, &result), result);
  if (op == "*") return checked(op, __builtin_mul_overflow(a, b, &result), result);
  if (b == 0) bad(op, "division by zero");
  if (op == "/") return static_cast<double>(a) / static_cast<double>(b);
  if (b == -1) {
    if (op == "%") return int64_t{0};
    return checked(op, __builtin_sub_overflow(int64_t{0}, a, &result), result);
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
  if (op == "//") return std::floor(a / b);
  if (op == "%") {
    const double remainder = std::fmod(a, b);
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
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
  const std::optional<bool> ordered =
      real ? compare(op, as_real(a), as_real(b)) : compare(op, as_integer(a), as_integer(b));
  if (ordered) return *ordered;
  return real ? real_arithmetic(op, as_real(a), as_real(b)) : integer_arithmetic(op, as_integer(a), as_integer(b));
}

}  // namespace faultline
