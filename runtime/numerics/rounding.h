// Rounding of doubles to the float formats and their bits, inline, for loops over many values. format.cc gives the same
// by name.
//
// Method: a double's bits grow with its magnitude, so rounding away `drop` fraction bits is an integer addition and a
// mask, and a carry into the exponent is right by itself. That covers the binades from the smallest normal to the last
// but one; round_edge() does zero, subnormals, the top binade, infinity and NaN.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/numerics/format.h"

namespace faultline {

struct FloatShape {
  int fraction_bits;
  int exponent_bits;
  int exponent_least;     // of the smallest normal number
  int exponent_greatest;  // of the largest finite number
};

constexpr FloatShape float_shape(Format format) {
  constexpr FloatShape shapes[] = {{52, 11, -1022, 1023}, {23, 8, -126, 127}, {10, 5, -14, 15}, {7, 8, -126, 127},
                                   {3, 4, -6, 8},         {2, 5, -14, 15},    {9, 6, -31, 32}};
  return shapes[static_cast<int>(format)];
}

constexpr uint64_t kSignBit = uint64_t{1} << 63;

// Drops the low `drop` bits (1..63) of a magnitude by the rounding rule; the kept bits stay where they are.
constexpr uint64_t round_bits(uint64_t magnitude, int drop, Rounding rounding) {
  const uint64_t half = uint64_t{1} << (drop - 1);
  if (rounding == Rounding::nearest_even) magnitude += half - 1 + ((magnitude >> drop) & 1);
  if (rounding == Rounding::ties_up) magnitude += half;
  return magnitude & ~(2 * half - 1);
}

double round_edge(Format format, double value, Rounding rounding);

template <Format F, Rounding R>
inline double round_fixed(double value) {
  if constexpr (F == Format::f64) {
    return value;
  } else if constexpr (F == Format::f32 && R == Rounding::nearest_even) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    constexpr FloatShape shape = float_shape(F);
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint64_t magnitude = bits & ~kSignBit;
    const uint32_t binade = static_cast<uint32_t>(magnitude >> 52) - static_cast<uint32_t>(1023 + shape.exponent_least);
    // The first binade of dl16 begins with a number it lacks.
    constexpr uint32_t first = F == Format::dl16 ? 1 : 0;
    if (binade - first < static_cast<uint32_t>(shape.exponent_greatest - shape.exponent_least) - first) [[likely]]
      return std::bit_cast<double>(round_bits(magnitude, 52 - shape.fraction_bits, R) | (bits & kSignBit));
    return round_edge(F, value, R);
  }
}

// decode(F, bits) and encode(F, value, R).
template <Format F>
inline double decode_fixed(uint64_t bits) {
  constexpr FloatShape shape = float_shape(F);
  constexpr uint64_t exponents = (uint64_t{1} << shape.exponent_bits) - 1;
  constexpr int sign = 8 * byte_size(F) - 1;
  const uint64_t field = bits >> shape.fraction_bits & exponents;
  if (field == 0 || field == exponents) [[unlikely]]
    return decode(F, bits);
  // The exponent and fraction of a normal number as they lie in a double, but for the bias.
  constexpr auto bias = static_cast<uint64_t>(1023 + shape.exponent_least - (F == Format::dl16 ? 0 : 1));
  const uint64_t magnitude = bits & ((uint64_t{1} << sign) - 1);
  return std::bit_cast<double>((bits >> sign & 1) << 63 | ((magnitude << (52 - shape.fraction_bits)) + (bias << 52)));
}

template <Format F, Rounding R>
inline uint64_t encode_fixed(double value) {
  constexpr FloatShape shape = float_shape(F);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~kSignBit;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent <= shape.exponent_least || exponent >= shape.exponent_greatest) [[unlikely]]
    return encode(F, value, R);
  if constexpr (F == Format::f64) {
    return bits;
  } else {
    constexpr int drop = 52 - shape.fraction_bits;
    constexpr auto bias = static_cast<uint64_t>(1023 + shape.exponent_least - (F == Format::dl16 ? 0 : 1));
    return ((round_bits(magnitude, drop, R) >> drop) - (bias << shape.fraction_bits)) |
           (bits >> 63 << (8 * byte_size(F) - 1));
  }
}

// Calls work.template operator()<F, R>() for the pair, so that a loop inside is compiled once a pair. Not for integer
// formats.
template <class Work>
inline void with_rounding(Format format, Rounding rounding, Work&& work) {
  const auto by_rounding = [&]<Format F>() {
    switch (rounding) {
      case Rounding::nearest_even: return work.template operator()<F, Rounding::nearest_even>();
      case Rounding::ties_up: return work.template operator()<F, Rounding::ties_up>();
      case Rounding::toward_zero: return work.template operator()<F, Rounding::toward_zero>();
    }
  };
  switch (format) {
    case Format::f32: return by_rounding.template operator()<Format::f32>();
    case Format::f16: return by_rounding.template operator()<Format::f16>();
    case Format::bf16: return by_rounding.template operator()<Format::bf16>();
    case Format::f8e4m3: return by_rounding.template operator()<Format::f8e4m3>();
    case Format::f8e5m2: return by_rounding.template operator()<Format::f8e5m2>();
    case Format::dl16: return by_rounding.template operator()<Format::dl16>();
    default: return by_rounding.template operator()<Format::f64>();
  }
}

// decode() and encode() without a call for what is most frequent: normal numbers of the float formats.
inline double decode_quick(Format format, uint64_t bits) {
  switch (format) {
    case Format::f64: return decode_fixed<Format::f64>(bits);
    case Format::f32: return decode_fixed<Format::f32>(bits);
    case Format::f16: return decode_fixed<Format::f16>(bits);
    case Format::bf16: return decode_fixed<Format::bf16>(bits);
    case Format::dl16: return decode_fixed<Format::dl16>(bits);
    default: return decode(format, bits);
  }
}
inline uint64_t encode_quick(Format format, double value) {
  switch (format) {
    case Format::f64: return encode_fixed<Format::f64, Rounding::nearest_even>(value);
    case Format::f32: return encode_fixed<Format::f32, Rounding::nearest_even>(value);
    case Format::f16: return encode_fixed<Format::f16, Rounding::nearest_even>(value);
    case Format::bf16: return encode_fixed<Format::bf16, Rounding::nearest_even>(value);
    default: return encode(format, value);
  }
}

}  // namespace faultline
