// Codecs of all formats. Floats go through one description (rounding.h: FloatShape); what a format does differently at
// its ends (no infinity, no subnormals, one special code) stands in round_edge, pack and decode.
#include "runtime/numerics/format.h"

#include <cmath>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

static constexpr std::string_view kNames[kFormatCount] = {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "dl16",
                                                          "i64", "i32", "i16", "i8",   "u8",     "bool8"};

std::string_view name(Format format) { return kNames[static_cast<int>(format)]; }

void no_float_format(Format format) { fail_check(__FILE__, __LINE__, "a float format", std::string(name(format))); }

bool holds(Format outer, Format inner) {
  const FormatLimits &wide = limits(outer), &narrow = limits(inner);
  return wide.precision_bits >= narrow.precision_bits && wide.largest >= narrow.largest &&
         ulp(outer, 0) <= ulp(inner, narrow.smallest_normal);
}

// The value of a magnitude that overflows after rounding.
static double overflowed(Format format) {
  if (format == Format::f8e4m3) return 448;
  if (format == Format::dl16) return std::numeric_limits<double>::quiet_NaN();
  return std::numeric_limits<double>::infinity();
}

// The nearest multiple of the subnormal spacing to a value under the smallest normal: with the implicit bit explicit,
// the significand is shifted until its unit is that spacing.
static double round_subnormal(const FloatShape& shape, uint64_t magnitude, Rounding rounding) {
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const int drop = 52 - shape.fraction_bits + shape.exponent_least - exponent;
  if (drop > 53) return 0;  // under half the spacing
  const uint64_t significand = (magnitude & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const uint64_t rounded = round_bits(significand, drop, rounding);
  return std::ldexp(static_cast<double>(rounded), exponent - 52);
}

double round_edge(Format format, double value, Rounding rounding) {
  if (value == 0) return format == Format::dl16 ? 0 : value;
  if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
  const FloatShape shape = float_shape(format);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~kSignBit;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  double rounded;
  if (format == Format::dl16 && exponent <= shape.exponent_least) {
    rounded = std::bit_cast<double>(round_bits(magnitude, 52 - shape.fraction_bits, rounding));
    if (rounded <= 0x1p-31) return 0;
  } else if (exponent < shape.exponent_least) {
    rounded = round_subnormal(shape, magnitude, rounding);
  } else {
    rounded = std::isinf(value) ? std::fabs(value)
                                : std::bit_cast<double>(round_bits(magnitude, 52 - shape.fraction_bits, rounding));
    if (rounded > kFormatLimits[static_cast<int>(format)].largest) rounded = overflowed(format);
  }
  return std::copysign(rounded, value);
}

double round_to(Format format, double value, Rounding rounding) {
  double result = value;
  with_rounding(format, rounding, [&]<Format F, Rounding R>() { result = round_fixed<F, R>(value); });
  return result;
}

// Bits of a value that the format holds exactly.
static uint64_t pack(Format format, double value) {
  const FloatShape shape = float_shape(format);
  const int width = 8 * byte_size(format);
  const uint64_t all_exponents = ((uint64_t{1} << shape.exponent_bits) - 1) << shape.fraction_bits;
  if (std::isnan(value)) {
    if (format == Format::f8e4m3) return 0x7F;
    if (format == Format::dl16) return 0x7FFF;
    if (format == Format::f8e5m2) return 0x7F;  // as torch's conversion leaves it
    return all_exponents | (uint64_t{1} << (shape.fraction_bits - 1));
  }
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (width - 1) : 0;
  if (std::isinf(value)) return sign | all_exponents;
  const uint64_t magnitude = std::bit_cast<uint64_t>(value) & ~kSignBit;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (value == 0) return sign;
  if (exponent < shape.exponent_least)
    return sign | static_cast<uint64_t>(std::ldexp(std::fabs(value), shape.fraction_bits - shape.exponent_least));
  const int field = exponent - shape.exponent_least + (format == Format::dl16 ? 0 : 1);
  const uint64_t fraction = (magnitude & ((uint64_t{1} << 52) - 1)) >> (52 - shape.fraction_bits);
  return sign | (static_cast<uint64_t>(field) << shape.fraction_bits) | fraction;
}

uint64_t encode(Format format, double value, Rounding rounding) {
  if (!is_float(format)) {
    const bool inside = value >= -0x1p63 && value < 0x1p63;
    return encode_integer(format, inside ? static_cast<int64_t>(value) : std::numeric_limits<int64_t>::min());
  }
  if (format == Format::f64) return std::isnan(value) ? 0x7FF8000000000000u : std::bit_cast<uint64_t>(value);
  const FloatShape shape = float_shape(format);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~kSignBit;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > shape.exponent_least && exponent < shape.exponent_greatest) [[likely]] {
    const int drop = 52 - shape.fraction_bits;
    const uint64_t kept = round_bits(magnitude, drop, rounding) >> drop;
    const auto bias = static_cast<uint64_t>(1023 + shape.exponent_least - (format == Format::dl16 ? 0 : 1));
    return (kept - (bias << shape.fraction_bits)) | (bits >> 63 << (8 * byte_size(format) - 1));
  }
  return pack(format, round_to(format, value, rounding));
}

static double decode_small_float(Format format, uint64_t bits) {
  const FloatShape shape = float_shape(format);
  const int width = 8 * byte_size(format);
  const bool negative = (bits >> (width - 1)) & 1;
  const uint64_t fraction = bits & ((uint64_t{1} << shape.fraction_bits) - 1);
  const int all_ones = (1 << shape.exponent_bits) - 1;
  const int field = static_cast<int>(bits >> shape.fraction_bits) & all_ones;
  if (field != 0 && field != all_ones) [[likely]] {
    const int exponent = field + shape.exponent_least - (format == Format::dl16 ? 0 : 1);
    return std::bit_cast<double>((negative ? kSignBit : 0) | (static_cast<uint64_t>(exponent + 1023) << 52) |
                                 (fraction << (52 - shape.fraction_bits)));
  }
  const bool all_fraction_ones = fraction == (uint64_t{1} << shape.fraction_bits) - 1;
  double value;
  if (format == Format::dl16) {
    if (field == all_ones && all_fraction_ones) return std::numeric_limits<double>::quiet_NaN();
    if (field == 0 && fraction == 0) return 0;
    value = std::ldexp(static_cast<double>(fraction + 512), field - 31 - 9);
  } else if (field == all_ones && format == Format::f8e4m3 && all_fraction_ones) {
    return std::numeric_limits<double>::quiet_NaN();
  } else if (field == all_ones && format != Format::f8e4m3) {
    if (fraction != 0) return std::numeric_limits<double>::quiet_NaN();
    value = std::numeric_limits<double>::infinity();
  } else if (field == 0) {
    value = std::ldexp(static_cast<double>(fraction), shape.exponent_least - shape.fraction_bits);
  } else {
    const auto significand = static_cast<double>(fraction + (uint64_t{1} << shape.fraction_bits));
    value = std::ldexp(significand, field - 1 + shape.exponent_least - shape.fraction_bits);
  }
  return negative ? -value : value;
}

double decode(Format format, uint64_t bits) {
  if (format == Format::f32) {
    const auto value = static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
  }
  if (format == Format::f64) {
    const double value = std::bit_cast<double>(bits);
    return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
  }
  if (!is_float(format)) return static_cast<double>(decode_integer(format, bits));
  return decode_small_float(format, bits);
}

int64_t wrap_integer(Format format, int64_t value) {
  switch (format) {
    case Format::i32: return static_cast<int32_t>(value);
    case Format::i16: return static_cast<int16_t>(value);
    case Format::i8: return static_cast<int8_t>(value);
    case Format::u8: return static_cast<uint8_t>(value);
    case Format::bool8: return value != 0;
    default: return value;
  }
}

int64_t decode_integer(Format format, uint64_t bits) {
  if (is_float(format)) {
    const double value = decode(format, bits);
    return std::isfinite(value) && std::fabs(value) < 0x1p63 ? static_cast<int64_t>(value) : 1;
  }
  return wrap_integer(format, static_cast<int64_t>(bits) & (format == Format::bool8 ? 0xFF : -1));
}

uint64_t encode_integer(Format format, int64_t value) {
  if (is_float(format)) return encode(format, static_cast<double>(value));
  const uint64_t wrapped = static_cast<uint64_t>(wrap_integer(format, value));
  const int width = 8 * byte_size(format);
  return width == 64 ? wrapped : wrapped & ((uint64_t{1} << width) - 1);
}

int64_t least_integer(Format format) {
  if (format == Format::u8 || format == Format::bool8) return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - 8 * byte_size(format));
}

int64_t greatest_integer(Format format) {
  if (format == Format::bool8) return 1;
  if (format == Format::u8) return 255;
  return std::numeric_limits<int64_t>::max() >> (64 - 8 * byte_size(format));
}

}  // namespace faultline
