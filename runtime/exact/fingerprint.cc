// The field operations, infinities and order.
#include "runtime/exact/fingerprint.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <tuple>

#include "runtime/exact/field.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

namespace {

bool has(const Fingerprint& x, uint32_t flags) { return x.has(flags); }

int sign_against_zero(const Fingerprint& x) {
  if (has(x, Fingerprint::infinite)) return has(x, Fingerprint::plus_infinity) ? 1 : -1;
  return compare_order(x, fingerprint_integer(0));
}

// Poison before NaN; empty when neither operand has them.
const Fingerprint* absorbing(const Fingerprint& x, const Fingerprint& y) {
  for (const uint32_t tag : {uint32_t{Fingerprint::poison}, uint32_t{Fingerprint::nan}})
    for (const Fingerprint* operand : {&x, &y})
      if (has(*operand, tag)) return operand;
  return nullptr;
}

// The bits of a double, made monotone.
uint64_t monotone_bits(double number) {
  const uint64_t bits = std::bit_cast<uint64_t>(number == 0 ? 0.0 : number);
  const uint64_t sign = uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

// Where a finite value stands: constants by their doubles, others by their key, both over 62 bits.
std::tuple<int, uint64_t, uint64_t> position(const Fingerprint& x) {
  if (has(x, Fingerprint::infinite)) return {has(x, Fingerprint::plus_infinity) ? 1 : -1, 0, 0};
  if (!x.is_constant()) return {0, order_key(x.a), 0};
  const uint64_t monotone = monotone_bits(x.constant);
  return {0, monotone >> 2, monotone & 3};
}

}  // namespace

Fingerprint add_special(const Fingerprint& x, const Fingerprint& y) {
  if (const Fingerprint* tag = absorbing(x, y)) return *tag;
  const uint32_t both = (x.flags | y.flags) & Fingerprint::infinite;
  return both == Fingerprint::infinite ? fingerprint_nan() : fingerprint_infinity(both == Fingerprint::minus_infinity);
}

Fingerprint subtract_special(const Fingerprint& x, const Fingerprint& y) { return add_special(x, negate(y)); }

Fingerprint multiply_special(const Fingerprint& x, const Fingerprint& y) {
  if (const Fingerprint* tag = absorbing(x, y)) return *tag;
  const int sign = sign_against_zero(x) * sign_against_zero(y);
  return sign == 0 ? fingerprint_nan() : fingerprint_infinity(sign < 0);
}

static Fingerprint divide_special(const Fingerprint& x, const Fingerprint& y) {
  if (const Fingerprint* tag = absorbing(x, y)) return *tag;
  if (!has(y, Fingerprint::infinite)) {
    const int sign = sign_against_zero(y);
    return fingerprint_infinity((has(x, Fingerprint::minus_infinity)) != (sign < 0));
  }
  return has(x, Fingerprint::infinite) ? fingerprint_nan() : fingerprint_integer(0);
}

// The inverses of y's parts are given; 0 for 0.
static Fingerprint divide_by(const Fingerprint& x, const Fingerprint& y, uint64_t inverse_a, uint64_t inverse_b) {
  if (has(x, Fingerprint::special) || has(y, Fingerprint::special)) return divide_special(x, y);
  if (y.a == 0) return fingerprint_nan();
  Fingerprint result = combined(x, y, FirstField::multiply(x.a, inverse_a), 0, x.constant / y.constant);
  if (y.b == 0) result.flags |= Fingerprint::dead;  // no inverse mod q
  if (!has(result, Fingerprint::dead)) result.b = SecondField::multiply(x.b, inverse_b);
  return result;
}

Fingerprint divide(const Fingerprint& x, const Fingerprint& y) {
  return divide_by(x, y, FirstField::inverse(y.a), SecondField::inverse(y.b));
}

namespace {

// Parts of divisors and what becomes their inverses: one inversion for many numbers (Montgomery's trick), that of their
// product, peeled off from behind. A divisor that equals the one before it is not multiplied again. 0 for 0.
template <class Field>
class Inverses {
 public:
  static constexpr int kMost = 128;

  void push(uint64_t number) {
    const bool repeated = count_ > 0 && number == numbers_[count_ - 1];
    before_[count_] = repeated ? before_[count_ - 1] : product_;
    numbers_[count_++] = number;
    if (number != 0 && !repeated) product_ = Field::multiply(product_, number);
  }
  void begin_inverses() { inverse_ = Field::inverse(product_); }
  // The last number's inverse, then that of the one before it, ...
  uint64_t pop() {
    const uint64_t number = numbers_[--count_];
    if (number == 0) return 0;
    const uint64_t mine = Field::multiply(inverse_, before_[count_]);
    const bool repeated = count_ > 0 && number == numbers_[count_ - 1];
    if (!repeated) inverse_ = Field::multiply(inverse_, number);
    return mine;
  }

 private:
  std::array<uint64_t, kMost> numbers_, before_;  // the number; the product of those in front of it
  int count_ = 0;
  uint64_t product_ = 1, inverse_ = 1;
};

}  // namespace

void divide_lanes(Fingerprint* dst, const Fingerprint* x, const Fingerprint* y, int n) {
  constexpr int block = Inverses<FirstField>::kMost;
  for (; n > block; n -= block, dst += block, x += block, y += block) divide_lanes(dst, x, y, block);
  Inverses<FirstField> first;
  Inverses<SecondField> second;
  for (int k = 0; k < n; ++k) {
    const bool regular = !has(y[k], Fingerprint::special);
    first.push(regular ? y[k].a : 0);
    second.push(regular && !has(y[k], Fingerprint::dead) ? y[k].b : 0);
  }
  first.begin_inverses();
  second.begin_inverses();
  for (int k = n; k-- > 0;) {
    const uint64_t inverse_a = first.pop(), inverse_b = second.pop();
    const uint32_t flags = x[k].flags | y[k].flags;
    if ((flags & (Fingerprint::special | Fingerprint::varies)) != Fingerprint::varies || y[k].a == 0) [[unlikely]] {
      dst[k] = divide_by(x[k], y[k], inverse_a, inverse_b);
      continue;
    }
    const bool dead = (flags & Fingerprint::dead) != 0 || y[k].b == 0;  // no inverse mod q
    dst[k].set_varying(FirstField::multiply(x[k].a, inverse_a), dead ? 0 : SecondField::multiply(x[k].b, inverse_b),
                       dead);
  }
}

Fingerprint negate_special(const Fingerprint& x) {
  return has(x, Fingerprint::infinite) ? fingerprint_infinity(has(x, Fingerprint::plus_infinity)) : x;
}

uint64_t order_key(uint64_t a) {
  static const uint32_t key = fnv1a32("order");
  const PhiloxBlock block = philox4x32_10({static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), 0, 0}, {key, 0});
  return FirstField::reduce(block[0] | uint64_t{block[1]} << 32);
}

int compare_order(const Fingerprint& x, const Fingerprint& y) {
  if (equal(x, y)) return 0;
  constexpr uint32_t known = Fingerprint::varies | Fingerprint::special;
  if ((x.flags & known) == Fingerprint::varies && (y.flags & known) == Fingerprint::varies) {
    const uint64_t left = order_key(x.a), right = order_key(y.a);
    return left == right ? 0 : left < right ? -1 : 1;
  }
  if ((x.flags & known) == Fingerprint::varies && (y.flags & known) == 0) {
    const uint64_t left = order_key(x.a), right = monotone_bits(y.constant);
    return left != right >> 2 ? (left < right >> 2 ? -1 : 1) : -static_cast<int>((right & 3) != 0);
  }
  const auto left = position(x), right = position(y);
  return left == right ? 0 : left < right ? -1 : 1;
}

bool compare_fingerprints(Function function, const Fingerprint& x, const Fingerprint& y) {
  if (has(x, Fingerprint::nan) || has(y, Fingerprint::nan)) return function == Function::not_equal;
  return scalar_compare(function, int64_t{compare_order(x, y)}, int64_t{0});
}

bool equal(const Fingerprint& x, const Fingerprint& y) {
  if ((x.flags & Fingerprint::special) != (y.flags & Fingerprint::special)) return false;
  return x.a == y.a && x.allocation == y.allocation;
}

std::string to_text(const Fingerprint& x) {
  if (has(x, Fingerprint::poison)) return fmt::format("poison({})", x.allocation);
  if (has(x, Fingerprint::nan)) return "nan";
  if (has(x, Fingerprint::infinite)) return has(x, Fingerprint::plus_infinity) ? "inf" : "-inf";
  return x.is_constant() ? fmt::format("{} ({})", x.a, x.constant) : fmt::format("{}", x.a);
}

}  // namespace faultline
