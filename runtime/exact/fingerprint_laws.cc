// Functions with a law of their own, and the oracle for the rest.
#include <cmath>
#include <vector>

#include "runtime/exact/field.h"
#include "runtime/exact/fingerprint.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

namespace {

bool has(const Fingerprint& x, uint32_t flags) { return x.has(flags); }

Fingerprint exp2_law(const Fingerprint& x) {
  if (has(x, Fingerprint::infinite)) return has(x, Fingerprint::plus_infinity) ? x : fingerprint_integer(0);
  Fingerprint result;
  if (has(x, Fingerprint::dead)) {
    result = fingerprint_oracle("exp2", x.a);
  } else {
    result.a = power_of_two(x.b);
    result.flags = Fingerprint::dead;
  }
  result.flags = (result.flags & Fingerprint::dead) | (x.flags & Fingerprint::varies);
  if (x.is_constant()) result.constant = std::exp2(x.constant);
  return result;
}

Fingerprint exp_law(const Fingerprint& x) {
  static const Fingerprint log2e = fingerprint_literal(M_LOG2E);
  if (has(x, Fingerprint::infinite)) return exp2_law(x);
  Fingerprint result = exp2_law(multiply(x, log2e));  // of a dead exponent too: exp may be written as exp2
  if (!x.is_constant()) return result;
  result.flags &= ~uint32_t{Fingerprint::varies};
  result.constant = std::exp(x.constant);
  return result;
}

// A function without a law on a constant: the oracle, with its number; a number that is infinite or NaN is a tag.
Fingerprint constant_oracle(Function function, const Fingerprint& x, const Fingerprint& y) {
  const double number = scalar_function(function, x.constant, y.constant);
  if (!std::isfinite(number)) return fingerprint_literal(number);
  Fingerprint result = fingerprint_oracle(name(function), x.a, row(function).arity > 1 ? y.a : 0);
  result.flags &= ~uint32_t{Fingerprint::varies};
  result.constant = number;
  return result;
}

// The root of a constant is the decimal of its double if that squares to the constant in the field.
Fingerprint sqrt_law(const Fingerprint& x) {
  if (!x.is_constant()) return fingerprint_oracle("sqrt", x.a);
  const Fingerprint root = fingerprint_literal(std::sqrt(x.constant));
  if (!has(root, Fingerprint::special) && multiply(root, root).a == x.a) return root;
  return constant_oracle(Function::sqrt, x, x);
}

bool whole_constant(const Fingerprint& x) {
  return x.is_constant() && std::fabs(x.constant) < 0x1p53 && x.constant == std::trunc(x.constant) &&
         x.a == FirstField::integer(static_cast<int64_t>(x.constant));
}

Fingerprint pow_law(const Fingerprint& x, const Fingerprint& y) {
  if (!whole_constant(y)) {
    if (x.is_constant() && y.is_constant()) return constant_oracle(Function::pow, x, y);
    return fingerprint_oracle("pow", x.a, y.a);
  }
  const auto exponent = static_cast<int64_t>(std::fabs(y.constant));
  Fingerprint result;
  result.a = FirstField::power(x.a, static_cast<uint64_t>(exponent));
  result.b = SecondField::power(x.b, static_cast<uint64_t>(exponent));
  result.flags = x.flags & (Fingerprint::dead | Fingerprint::varies);
  if (x.is_constant()) result.constant = std::pow(x.constant, std::fabs(y.constant));
  return y.constant < 0 ? divide(fingerprint_integer(1), result) : result;
}

// x - n*y of constants, n the whole quotient that the doubles give.
Fingerprint remainder_law(Function function, const Fingerprint& x, const Fingerprint& y) {
  if (!x.is_constant() || !y.is_constant()) return fingerprint_oracle(name(function), x.a, y.a);
  const double rest = scalar_function(function, x.constant, y.constant);
  const double quotient = std::round((x.constant - rest) / y.constant);
  if (!(std::fabs(quotient) < 0x1p53)) return constant_oracle(function, x, y);
  Fingerprint result = subtract(x, multiply(fingerprint_integer(static_cast<int64_t>(quotient)), y));
  result.constant = rest;
  return result;
}

// The rule of an infinite operand: the function's own value there; a finite varying partner counts by its sign, as 2 or
// -2.
Fingerprint at_infinity(Function function, const Fingerprint& x, const Fingerprint& y) {
  const auto stand_in = [](const Fingerprint& operand) {
    if (operand.is_constant() || has(operand, Fingerprint::infinite)) return operand.constant;
    return compare_order(operand, fingerprint_integer(0)) < 0 ? -2.0 : 2.0;
  };
  const double left = stand_in(x), right = stand_in(y);
  const double number = scalar_function(function, left, right);
  if (row(function).arity > 1 && !has(x, Fingerprint::special) && number == left) return x;  // fmod(x, inf)
  return fingerprint_literal(number);
}

// Equal values may differ in their second part: the live and larger one is taken, so that the operation commutes.
const Fingerprint& extreme(const Fingerprint& x, const Fingerprint& y, bool greatest) {
  const int order = compare_order(x, y);
  if (order != 0) return (order > 0) == greatest ? x : y;
  const auto rank = [](const Fingerprint& value) { return has(value, Fingerprint::dead) ? 0 : value.b + 1; };
  return rank(x) >= rank(y) ? x : y;
}

Fingerprint refresh_law(const Fingerprint& x) {
  if (has(x, Fingerprint::infinite)) return x;
  static const uint32_t key = fnv1a32("refresh");
  Fingerprint result = x;
  result.b = fingerprint_oracle(key, x.a).b;
  result.flags &= ~uint32_t{Fingerprint::dead};
  return result;
}

Fingerprint exact_on_constants(Function function, const Fingerprint& x) {
  if (!x.is_constant()) return fingerprint_oracle(name(function), x.a);
  if (function == Function::abs) return x.constant < 0 ? negate(x) : x;
  return fingerprint_literal(scalar_function(function, x.constant, 0));
}

Fingerprint finite_law(Function function, const Fingerprint& x, const Fingerprint& y) {
  switch (function) {
    case Function::sqrt: return sqrt_law(x);
    case Function::rsqrt: return divide(fingerprint_integer(1), sqrt_law(x));
    case Function::pow: return pow_law(x, y);
    case Function::fmod:
    case Function::remainder: return remainder_law(function, x, y);
    case Function::abs:
    case Function::sign:
    case Function::floor:
    case Function::ceil:
    case Function::round:
    case Function::trunc: return exact_on_constants(function, x);
    default: break;
  }
  const bool binary = row(function).arity > 1;
  if (x.is_constant() && (!binary || y.is_constant())) return constant_oracle(function, x, y);
  return fingerprint_oracle(name(function), x.a, binary ? y.a : 0);
}

}  // namespace

static bool is_oracle_when_varying(Function function) {
  switch (function) {
    case Function::neg:
    case Function::reciprocal:
    case Function::exp2:
    case Function::refresh:
    case Function::rsqrt: return false;
    default: return row(function).arity == 1;
  }
}

// Finite operands, one of which varies at least, have no number of their own: their parts say all. They are written
// where they belong, because a result that is put together on the stack and then copied costs more than its product.
template <class First, class Second, class Otherwise>
static void field_lanes(Fingerprint* dst, const Fingerprint* x, const Fingerprint* y, int n, First first, Second second,
                        Otherwise otherwise) {
  for (int k = 0; k < n; ++k) {
    const uint32_t flags = x[k].flags | y[k].flags;
    if ((flags & (Fingerprint::special | Fingerprint::varies)) != Fingerprint::varies) [[unlikely]] {
      dst[k] = otherwise(x[k], y[k]);
      continue;
    }
    const bool dead = (flags & Fingerprint::dead) != 0;
    dst[k].set_varying(first(x[k].a, y[k].a), dead ? 0 : second(x[k].b, y[k].b), dead);
  }
}

static void exp_lanes(Fingerprint* dst, const Fingerprint* x, int n) {
  static const Fingerprint log2e = fingerprint_literal(M_LOG2E);
  static const uint32_t key = fnv1a32("exp2");
  for (int k = 0; k < n; ++k) {
    switch (x[k].flags & (Fingerprint::special | Fingerprint::varies | Fingerprint::dead)) {
      case Fingerprint::varies:
        dst[k].set_varying(power_of_two(SecondField::multiply(x[k].b, log2e.b)), 0, true);
        break;
      case Fingerprint::varies | Fingerprint::dead:
        set_oracle(dst[k], key, FirstField::multiply(x[k].a, log2e.a));
        break;
      default: dst[k] = apply_law(Function::exp, x[k], x[k]);
    }
  }
}

// One law compiled into the loop for the functions that programs are full of.
void apply_law_lanes(Function function, Fingerprint* dst, const Fingerprint* x, const Fingerprint* y, int n) {
  const auto map = [&](auto law) {
    for (int k = 0; k < n; ++k) dst[k] = law(x[k], y[k]);
  };
  const auto extremes = [&](bool greatest) {
    constexpr uint32_t absorbs = Fingerprint::poison | Fingerprint::nan;
    for (int k = 0; k < n; ++k) {
      if (((x[k].flags | y[k].flags) & absorbs) != 0)
        dst[k] = apply_law(function, x[k], y[k]);
      else
        dst[k] = extreme(x[k], y[k], greatest);
    }
  };
  switch (function) {
    case Function::add: return field_lanes(dst, x, y, n, FirstField::add, SecondField::add, add);
    case Function::sub: return field_lanes(dst, x, y, n, FirstField::subtract, SecondField::subtract, subtract);
    case Function::mul: return field_lanes(dst, x, y, n, FirstField::multiply, SecondField::multiply, multiply);
    case Function::neg: return map([](const auto& a, const auto&) { return negate(a); });
    case Function::div: return divide_lanes(dst, x, y, n);
    case Function::reciprocal: {
      const std::vector<Fingerprint> ones(static_cast<size_t>(n), fingerprint_integer(1));
      return divide_lanes(dst, ones.data(), x, n);
    }
    case Function::exp: return exp_lanes(dst, x, n);
    case Function::maximum: return extremes(true);
    case Function::minimum: return extremes(false);
    default: break;
  }
  if (!is_oracle_when_varying(function))
    return map([=](const auto& a, const auto& b) { return apply_law(function, a, b); });
  const uint32_t key = fnv1a32(name(function));
  for (int k = 0; k < n; ++k) {
    constexpr uint32_t known = Fingerprint::varies | Fingerprint::special;
    if ((x[k].flags & known) == Fingerprint::varies)
      set_oracle(dst[k], key, x[k].a);
    else
      dst[k] = apply_law(function, x[k], y[k]);
  }
}

Fingerprint apply_law(Function function, const Fingerprint& x, const Fingerprint& y) {
  switch (function) {
    case Function::neg: return negate(x);
    case Function::add: return add(x, y);
    case Function::sub: return subtract(x, y);
    case Function::mul: return multiply(x, y);
    case Function::div: return divide(x, y);
    case Function::reciprocal: return divide(fingerprint_integer(1), x);
    default: break;
  }
  const Fingerprint& second = row(function).arity > 1 ? y : x;
  for (const uint32_t tag : {uint32_t{Fingerprint::poison}, uint32_t{Fingerprint::nan}})
    for (const Fingerprint* operand : {&x, &second})
      if (has(*operand, tag)) return *operand;
  switch (function) {
    case Function::maximum: return extreme(x, y, true);
    case Function::minimum: return extreme(x, y, false);
    case Function::exp2: return exp2_law(x);
    case Function::exp: return exp_law(x);
    case Function::refresh: return refresh_law(x);
    default: break;
  }
  if (has(x, Fingerprint::infinite) || has(second, Fingerprint::infinite)) return at_infinity(function, x, second);
  return finite_law(function, x, second);
}

}  // namespace faultline
