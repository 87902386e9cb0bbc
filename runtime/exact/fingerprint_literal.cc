// Leaves, literals and the named constants.
//
// Named: log2e is a leaf of its own (seed 0), ln2 its inverse; ln10 and sqrt_pi are leaves too; everything else follows
// from these by the identities a compiler may use: log10(e) = 1/ln10, log10(2) = ln2/ln10, pi = sqrt_pi^2, sqrt(2/pi) =
// sqrt2/sqrt_pi, e = exp(1). sqrt2 is a true root: 2^(1/2) by the law of exp2, and its own root mod q.
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "runtime/base/philox.h"
#include "runtime/exact/field.h"
#include "runtime/exact/fingerprint.h"

namespace faultline {

static uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
static uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

Fingerprint fingerprint_leaf(std::string_view name, uint64_t index, uint64_t seed) {
  return fingerprint_of_block(philox4x32_10({fnv1a32(name), low(index), high(index), 0}, {low(seed), high(seed)}));
}

Fingerprint fingerprint_integer(int64_t number) {
  Fingerprint value;
  value.a = FirstField::integer(number);
  value.b = SecondField::integer(number);
  value.constant = static_cast<double>(number);
  return value;
}

Fingerprint fingerprint_nan() {
  Fingerprint value;
  value.flags = Fingerprint::nan;
  value.constant = std::nan("");
  return value;
}

Fingerprint fingerprint_infinity(bool negative) {
  Fingerprint value;
  value.flags = negative ? Fingerprint::minus_infinity : Fingerprint::plus_infinity;
  value.constant = negative ? -INFINITY : INFINITY;
  return value;
}

Fingerprint fingerprint_poison(uint32_t allocation) {
  Fingerprint value;
  value.flags = Fingerprint::poison;
  value.allocation = allocation;
  return value;
}

// digits * 10^exponent of a finite double, in both fields.
static Fingerprint decimal(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::fabs(value), std::chars_format::scientific).ptr;
  uint64_t digits = 0;
  int exponent = 0;
  const char* at = text.data();
  bool after_point = false;
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      after_point = true;
      continue;
    }
    digits = 10 * digits + static_cast<uint64_t>(*at - '0');
    exponent -= after_point;
  }
  int written = 0;
  std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, written);
  exponent += written;
  const auto steps = static_cast<uint64_t>(std::abs(exponent));
  uint64_t first = FirstField::power(10, steps), second = SecondField::power(10, steps);
  if (exponent < 0) {
    first = FirstField::inverse(first);
    second = SecondField::inverse(second);
  }
  Fingerprint result;
  result.a = FirstField::multiply(FirstField::reduce(digits), first);
  result.b = SecondField::multiply(SecondField::reduce(digits), second);
  if (value < 0) result = negate(result);
  result.constant = value;
  return result;
}

namespace {

struct NamedConstant {
  double number;
  Fingerprint value;
};

std::vector<NamedConstant> make_named_constants() {
  const auto leaf = [](std::string_view name, double number) {
    Fingerprint value = fingerprint_leaf(name, 0, 0);
    value.flags = 0;
    value.constant = number;
    return value;
  };
  const Fingerprint one = fingerprint_integer(1), two = fingerprint_integer(2), four = fingerprint_integer(4);
  const Fingerprint log2e = leaf("log2e", M_LOG2E), ln10 = leaf("ln10", M_LN10),
                    sqrt_pi = leaf("sqrt_pi", std::sqrt(M_PI));
  const Fingerprint pi = multiply(sqrt_pi, sqrt_pi), ln2 = divide(one, log2e);
  Fingerprint sqrt2;
  sqrt2.a = power_of_two((SecondField::modulus + 1) / 2);
  sqrt2.b = SecondField::power(2, (SecondField::modulus + 1) / 4);
  sqrt2.constant = M_SQRT2;
  const Fingerprint e = apply_law(Function::exp2, log2e, log2e);
  const Fingerprint values[] = {log2e,
                                ln2,
                                ln10,
                                divide(one, ln10),
                                multiply(ln10, log2e),
                                divide(ln2, ln10),
                                e,
                                pi,
                                multiply(two, pi),
                                divide(pi, two),
                                divide(pi, four),
                                divide(one, pi),
                                divide(two, pi),
                                sqrt2,
                                divide(one, sqrt2),
                                sqrt_pi,
                                divide(one, sqrt_pi),
                                divide(two, sqrt_pi),
                                divide(sqrt2, sqrt_pi),
                                multiply(sqrt2, sqrt_pi),
                                divide(one, multiply(sqrt2, sqrt_pi))};
  const double numbers[] = {M_LOG2E,
                            M_LN2,
                            M_LN10,
                            M_LOG10E,
                            M_LN10 / M_LN2,
                            M_LN2 / M_LN10,
                            M_E,
                            M_PI,
                            2 * M_PI,
                            M_PI_2,
                            M_PI_4,
                            M_1_PI,
                            M_2_PI,
                            M_SQRT2,
                            M_SQRT1_2,
                            std::sqrt(M_PI),
                            M_2_SQRTPI / 2,
                            M_2_SQRTPI,
                            std::sqrt(2 / M_PI),
                            std::sqrt(2 * M_PI),
                            1 / std::sqrt(2 * M_PI)};
  static_assert(std::size(values) == std::size(numbers));
  std::vector<NamedConstant> named;
  for (size_t i = 0; i < std::size(values); ++i) named.push_back({numbers[i], values[i]});
  return named;
}

// Within an ulp, or the constant as a program writes it in single precision.
bool means(double written, double number) {
  return std::fabs(written - number) <= std::nextafter(number, INFINITY) - number ||
         written == static_cast<double>(static_cast<float>(number));
}

}  // namespace

Fingerprint fingerprint_literal(double value) {
  if (std::isnan(value)) return fingerprint_nan();
  if (std::isinf(value)) return fingerprint_infinity(value < 0);
  static const std::vector<NamedConstant> named = make_named_constants();
  for (const NamedConstant& constant : named) {
    if (!means(std::fabs(value), constant.number)) continue;
    Fingerprint result = value < 0 ? negate(constant.value) : constant.value;
    result.constant = value;
    return result;
  }
  return decimal(value);
}

}  // namespace faultline
