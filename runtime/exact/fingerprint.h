// One value of the fingerprint domain and its laws (docs/sources.md, Fingerprints). Pure functions; memory, sums
// and replay are in fingerprint_domain.h.
//
// A float is a pair (a mod p, b mod q); b is only the exponent that exp2 needs, and is *dead* after exp2. Infinity, NaN
// and poison are tags. A value made of literals, iota and integers alone carries its concrete double: it is a constant,
// and order, rounding to integers and roots of constants follow that number. Integers and bools are concrete and may
// only carry poison.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/philox.h"
#include "runtime/exact/field.h"
#include "runtime/ir/function.h"

namespace faultline {

struct Fingerprint {
  enum Flag : uint32_t {
    dead = 1,    // the second part is lost
    varies = 2,  // no constant
    plus_infinity = 4,
    minus_infinity = 8,
    nan = 16,
    poison = 32,
    infinite = plus_infinity | minus_infinity,
    special = infinite | nan | poison,
  };

  uint64_t a = 0;  // mod p; 0 beside a special tag
  uint64_t b = 0;  // mod q; meaningless when dead
  union {
    double constant = 0;  // floats that do not vary
    int64_t integer;      // integer and bool dtypes
  };
  uint32_t flags = 0;
  uint32_t allocation = 0;  // of poison

  bool has(uint32_t any_of) const { return (flags & any_of) != 0; }
  bool is_constant() const { return !has(varies); }
};

// Element `index` of the input `name`.
Fingerprint fingerprint_leaf(std::string_view name, uint64_t index, uint64_t seed);
// The shortest decimal of the double as a fraction; log2(e), ln 2, pi, sqrt(2) and their kin (fingerprint_literal.cc)
// as the named values, so that their algebra holds. Infinities and NaN become tags.
Fingerprint fingerprint_literal(double value);
Fingerprint fingerprint_integer(int64_t number);
Fingerprint fingerprint_nan();
Fingerprint fingerprint_infinity(bool negative);
Fingerprint fingerprint_poison(uint32_t allocation);

inline Fingerprint fingerprint_of_block(const PhiloxBlock& block) {
  Fingerprint value;
  value.a = FirstField::reduce(block[0] | uint64_t{block[1]} << 32);
  value.b = SecondField::reduce(block[2] | uint64_t{block[3]} << 32);
  value.flags = Fingerprint::varies;
  return value;
}
// A function without a law: philox of the first parts, key = fnv1a32(name). Both parts live and vary.
inline Fingerprint fingerprint_oracle(uint32_t key, uint64_t a, uint64_t second = 0) {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  return fingerprint_of_block(philox4x32_10({low(a), low(a >> 32), low(second), low(second >> 32)}, {key, 0}));
}
inline Fingerprint fingerprint_oracle(std::string_view function, uint64_t a, uint64_t second = 0) {
  return fingerprint_oracle(fnv1a32(function), a, second);
}

// The field operations where an operand is infinite, NaN or poison.
Fingerprint add_special(const Fingerprint& x, const Fingerprint& y);
Fingerprint subtract_special(const Fingerprint& x, const Fingerprint& y);
Fingerprint multiply_special(const Fingerprint& x, const Fingerprint& y);
Fingerprint negate_special(const Fingerprint& x);

// The result of a field operation on finite operands: dead and varies spread; constants have `constant`.
inline Fingerprint combined(const Fingerprint& x, const Fingerprint& y, uint64_t a, uint64_t b, double constant) {
  Fingerprint result;
  result.a = a;
  result.b = b;
  result.flags = (x.flags | y.flags) & (Fingerprint::dead | Fingerprint::varies);
  result.constant = result.is_constant() ? constant : 0;
  return result;
}
inline Fingerprint add(const Fingerprint& x, const Fingerprint& y) {
  if (((x.flags | y.flags) & Fingerprint::special) != 0) [[unlikely]]
    return add_special(x, y);
  return combined(x, y, FirstField::add(x.a, y.a), SecondField::add(x.b, y.b), x.constant + y.constant);
}
inline Fingerprint subtract(const Fingerprint& x, const Fingerprint& y) {
  if (((x.flags | y.flags) & Fingerprint::special) != 0) [[unlikely]]
    return subtract_special(x, y);
  return combined(x, y, FirstField::subtract(x.a, y.a), SecondField::subtract(x.b, y.b), x.constant - y.constant);
}
inline Fingerprint multiply(const Fingerprint& x, const Fingerprint& y) {
  if (((x.flags | y.flags) & Fingerprint::special) != 0) [[unlikely]]
    return multiply_special(x, y);
  const bool alive = ((x.flags | y.flags) & Fingerprint::dead) == 0;  // what is dead need not be computed
  return combined(x, y, FirstField::multiply(x.a, y.a), alive ? SecondField::multiply(x.b, y.b) : 0,
                  x.constant * y.constant);
}
Fingerprint divide(const Fingerprint& x, const Fingerprint& y);
// dst[k] = divide(x[k], y[k]), with one inversion for all; dst may be x or y.
void divide_lanes(Fingerprint* dst, const Fingerprint* x, const Fingerprint* y, int n);
inline Fingerprint negate(const Fingerprint& x) {
  if (x.has(Fingerprint::special)) [[unlikely]]
    return negate_special(x);
  return combined(x, x, FirstField::subtract(0, x.a), SecondField::subtract(0, x.b), -x.constant);
}
// dst[k] = apply_law(function, x[k], y[k]); dst may be x or y.
void apply_law_lanes(Function function, Fingerprint* dst, const Fingerprint* x, const Fingerprint* y, int n);
// Every function of floats to floats: the laws above, exp2, exp, sqrt, rsqrt, pow, refresh, maximum, minimum, and the
// oracle for what has none. `y` is ignored by unary functions.
Fingerprint apply_law(Function function, const Fingerprint& x, const Fingerprint& y);

// -1, 0, 1 by the order key; constants among themselves by their numbers, and they stand among the keys as their
// numbers stand among the doubles, so that the order is total. Equal first parts are equal. No NaN, no poison.
int compare_order(const Fingerprint& x, const Fingerprint& y);
// The first part of oracle(`order`, a).
uint64_t order_key(uint64_t a);
// Comparisons of function.def, for floats; false with NaN but for not_equal.
bool compare_fingerprints(Function function, const Fingerprint& x, const Fingerprint& y);

// First parts and tags.
bool equal(const Fingerprint& x, const Fingerprint& y);
// "1625622900648814532", "inf", "nan", "poison(3)"; constants with their number: "461168601842737632 (0.1)".
std::string to_text(const Fingerprint& x);

}  // namespace faultline
