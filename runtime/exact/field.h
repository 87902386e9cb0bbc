// The two prime fields of the fingerprint domain: q = 2^61 - 5793 and p = 2q + 1 = 2^62 - 11585
// (docs/sources.md, Fingerprints).
//
// Both primes lie just under a power of two, so a product is reduced by folding its high half times the small gap into
// its low half, twice; sums of many products are kept folded once in 128 bits and reduced at the end.
#pragma once

#include <cstdint>

namespace faultline {

using Wide = unsigned __int128;

template <int Bits, uint64_t Gap>
struct PrimeField {
  static constexpr uint64_t modulus = (uint64_t{1} << Bits) - Gap;

  static constexpr uint64_t reduce(uint64_t x) { return x % modulus; }

  // Congruent to x and under 2^(Bits+15) for any product of two residues; up to 2^48 of them may be added.
  static constexpr Wide fold(Wide x) {
    constexpr uint64_t mask = (uint64_t{1} << Bits) - 1;
    return static_cast<Wide>(static_cast<uint64_t>(x >> Bits)) * Gap + (static_cast<uint64_t>(x) & mask);
  }
  // For x under 2^(Bits+63).
  static constexpr uint64_t reduce(Wide x) {
    const Wide twice = fold(fold(x));  // under 2^(Bits+1)
    const auto once = static_cast<uint64_t>(twice);
    const uint64_t less = once >= modulus ? once - modulus : once;
    return less >= modulus ? less - modulus : less;
  }

  static constexpr uint64_t add(uint64_t x, uint64_t y) {
    const uint64_t sum = x + y;
    return sum >= modulus ? sum - modulus : sum;
  }
  static constexpr uint64_t subtract(uint64_t x, uint64_t y) { return x >= y ? x - y : x + modulus - y; }
  static constexpr uint64_t multiply(uint64_t x, uint64_t y) { return reduce(static_cast<Wide>(x) * y); }

  static constexpr uint64_t power(uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base = multiply(base, base))
      if (exponent & 1) result = multiply(result, base);
    return result;
  }
  // By Euclid's algorithm: remainders r with r = factor * x (mod modulus). 0 for 0.
  static constexpr uint64_t inverse(uint64_t x) {
    uint64_t before = modulus, now = x;
    int64_t factor_before = 0, factor = 1;
    while (now > 1) {
      const uint64_t quotient = before / now, rest = before - quotient * now;
      const int64_t next = factor_before - static_cast<int64_t>(quotient) * factor;
      before = now, now = rest;
      factor_before = factor, factor = next;
    }
    if (now == 0) return 0;
    return factor < 0 ? static_cast<uint64_t>(factor + static_cast<int64_t>(modulus)) : static_cast<uint64_t>(factor);
  }
  static constexpr uint64_t integer(int64_t x) {
    return x >= 0 ? reduce(static_cast<uint64_t>(x)) : subtract(0, reduce(-static_cast<uint64_t>(x)));
  }
};

using FirstField = PrimeField<62, 11585>;  // mod p
using SecondField = PrimeField<61, 5793>;  // mod q

static_assert(SecondField::modulus == 2305843009213688159 && FirstField::modulus == 4611686018427376319);
static_assert(FirstField::modulus == 2 * SecondField::modulus + 1);

// 2^exponent mod p. 2 generates the subgroup of order q, so the exponent counts mod q.
uint64_t power_of_two(uint64_t exponent);

}  // namespace faultline
