// Bit patterns of single elements as values, and values as bit patterns: what the value rules compute with. Independent
// of the number formats of the targets, so that a wrong format there cannot hide itself here.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/ir/dtype.h"

namespace faultline {

constexpr int bit_width(DType dtype) { return static_cast<int>(byte_size(dtype)) * 8; }
constexpr uint64_t bit_mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// Fields of a floating-point type: 1 sign bit, then `exponent` and `fraction` bits.
struct FloatFields {
  int exponent;
  int fraction;
  bool infinities;  // f8e4m3 has none: its top exponent holds numbers and one NaN
};
FloatFields float_fields(DType dtype);

// The element's value; integers beyond 2^53 round. Boolean: 0 or 1.
double value_of(DType dtype, uint64_t bits);
// Sign-extended integer, or zero-extended for u8 and boolean.
int64_t integer_of(DType dtype, uint64_t bits);
// To nearest even; beyond the range infinity (NaN where there is none). Integers truncate and wrap to the type's width.
uint64_t bits_of(DType dtype, double value);
// As bits_of for a floating-point type, but towards zero.
uint64_t bits_towards_zero(DType dtype, double value);
uint64_t largest_finite(DType dtype);

bool is_nan(DType dtype, uint64_t bits);
bool is_infinite(DType dtype, uint64_t bits);
bool is_zero(DType dtype, uint64_t bits);
bool is_subnormal(DType dtype, uint64_t bits);
bool is_negative(DType dtype, uint64_t bits);
// Exponent field of a float; number of bits of an integer's magnitude.
int exponent_of(DType dtype, uint64_t bits);

// "0x7E5A", as wide as the type.
std::string hex(DType dtype, uint64_t bits);

}  // namespace faultline
