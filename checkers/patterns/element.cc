// Element codecs. One generic pair converts any binary format of up to 64 bits through its fields; values are doubles,
// which hold every type but the large integers exactly.
#include "checkers/patterns/element.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "runtime/base/error.h"

namespace faultline {

namespace {

int bias(const FloatFields& fields) { return (1 << (fields.exponent - 1)) - 1; }

uint64_t sign_bit(DType dtype) { return uint64_t{1} << (bit_width(dtype) - 1); }

uint64_t quiet_nan(DType dtype) {
  if (dtype == DType::f8e4m3) return 0x7F;
  const FloatFields fields = float_fields(dtype);
  return ((bit_mask(fields.exponent) << 1) | 1) << (fields.fraction - 1);
}

uint64_t infinity_or_nan(DType dtype) {
  const FloatFields fields = float_fields(dtype);
  return fields.infinities ? bit_mask(fields.exponent) << fields.fraction : quiet_nan(dtype);
}

double decode(DType dtype, uint64_t bits) {
  const FloatFields fields = float_fields(dtype);
  const uint64_t magnitude = bits & (sign_bit(dtype) - 1);
  double value = 0;
  if (is_nan(dtype, bits))
    value = std::numeric_limits<double>::quiet_NaN();
  else if (is_infinite(dtype, bits))
    value = std::numeric_limits<double>::infinity();
  else {
    const auto exponent = static_cast<int>(magnitude >> fields.fraction);
    const uint64_t fraction = magnitude & bit_mask(fields.fraction);
    const uint64_t significand = exponent == 0 ? fraction : fraction | (uint64_t{1} << fields.fraction);
    value = std::ldexp(static_cast<double>(significand), std::max(exponent, 1) - bias(fields) - fields.fraction);
  }
  return (bits & sign_bit(dtype)) != 0 ? -value : value;
}

uint64_t encode(DType dtype, double value, bool nearest) {
  const FloatFields fields = float_fields(dtype);
  if (std::isnan(value)) return quiet_nan(dtype);
  const uint64_t sign = std::signbit(value) ? sign_bit(dtype) : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity_or_nan(dtype);
  if (magnitude == 0) return sign;
  const int lowest = 1 - bias(fields);
  const int exponent = std::max(std::ilogb(magnitude), lowest);
  const double scaled = std::ldexp(magnitude, fields.fraction - exponent);
  auto significand = static_cast<uint64_t>(nearest ? std::nearbyint(scaled) : std::trunc(scaled));
  // The hidden bit adds one to the exponent field; a carry out of the fraction adds another by itself.
  const auto field = static_cast<uint64_t>(exponent - lowest);
  const uint64_t bits = (field << fields.fraction) + significand;
  if (bits <= largest_finite(dtype)) return sign | bits;
  return sign | (nearest ? infinity_or_nan(dtype) : largest_finite(dtype));
}

}  // namespace

FloatFields float_fields(DType dtype) {
  switch (dtype) {
    case DType::f64: return {11, 52, true};
    case DType::f32: return {8, 23, true};
    case DType::f16: return {5, 10, true};
    case DType::bf16: return {8, 7, true};
    case DType::f8e4m3: return {4, 3, false};
    case DType::f8e5m2: return {5, 2, true};
    default: break;
  }
  FAULTLINE_CHECK(is_float(dtype), std::string(name(dtype)));
  return {};
}

double value_of(DType dtype, uint64_t bits) {
  if (dtype == DType::f64) return std::bit_cast<double>(bits);
  if (dtype == DType::f32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (is_float(dtype)) return decode(dtype, bits);
  return static_cast<double>(integer_of(dtype, bits));
}

int64_t integer_of(DType dtype, uint64_t bits) {
  const int width = bit_width(dtype);
  bits &= bit_mask(width);
  if (dtype == DType::u8 || dtype == DType::boolean || width == 64) return static_cast<int64_t>(bits);
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

uint64_t bits_of(DType dtype, double value) {
  if (dtype == DType::f64) return std::bit_cast<uint64_t>(value);
  if (is_float(dtype)) return encode(dtype, value, true);
  if (!(std::fabs(value) < 0x1p63)) return 0;
  return static_cast<uint64_t>(static_cast<int64_t>(value)) & bit_mask(bit_width(dtype));
}

uint64_t bits_towards_zero(DType dtype, double value) { return encode(dtype, value, false); }

uint64_t largest_finite(DType dtype) {
  if (dtype == DType::f8e4m3) return 0x7E;
  const FloatFields fields = float_fields(dtype);
  return (bit_mask(fields.exponent) << fields.fraction) - 1;
}

bool is_nan(DType dtype, uint64_t bits) {
  if (!is_float(dtype)) return false;
  const uint64_t magnitude = bits & (sign_bit(dtype) - 1);
  if (dtype == DType::f8e4m3) return magnitude == 0x7F;
  const FloatFields fields = float_fields(dtype);
  return magnitude > bit_mask(fields.exponent) << fields.fraction;
}

bool is_infinite(DType dtype, uint64_t bits) {
  if (!is_float(dtype)) return false;
  const FloatFields fields = float_fields(dtype);
  return fields.infinities && (bits & (sign_bit(dtype) - 1)) == bit_mask(fields.exponent) << fields.fraction;
}

bool is_zero(DType dtype, uint64_t bits) {
  return (is_float(dtype) ? bits & (sign_bit(dtype) - 1) : bits & bit_mask(bit_width(dtype))) == 0;
}

bool is_subnormal(DType dtype, uint64_t bits) {
  return is_float(dtype) && !is_zero(dtype, bits) && exponent_of(dtype, bits) == 0;
}

bool is_negative(DType dtype, uint64_t bits) {
  return is_float(dtype) ? (bits & sign_bit(dtype)) != 0 : integer_of(dtype, bits) < 0;
}

int exponent_of(DType dtype, uint64_t bits) {
  if (is_float(dtype)) {
    const FloatFields fields = float_fields(dtype);
    return static_cast<int>(bits >> fields.fraction & bit_mask(fields.exponent));
  }
  const int64_t value = integer_of(dtype, bits);
  const uint64_t magnitude = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return std::bit_width(magnitude);
}

std::string hex(DType dtype, uint64_t bits) { return fmt::format("0x{:0{}X}", bits, byte_size(dtype) * 2); }

}  // namespace faultline
