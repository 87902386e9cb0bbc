// Storage and arithmetic formats, bit by bit. A DType is what the program says; a Format is how a machine holds it.
//
// Every finite value of every float format is a double, so the float side works on doubles: rounding is bit arithmetic
// on the double, without loops and without libm (rounding.h has it inline for loops over many values).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "runtime/ir/dtype.h"

namespace faultline {

// dl16 is IBM's DLFloat (sign, 6 exponent, 9 fraction bits, bias 31; docs/sources.md, Number formats). bool8 is one
// byte, 0 or 1.
enum class Format : uint8_t { f64, f32, f16, bf16, f8e4m3, f8e5m2, dl16, i64, i32, i16, i8, u8, bool8 };

inline constexpr int kFormatCount = 13;

std::string_view name(Format format);
constexpr int byte_size(Format format) {
  constexpr int sizes[kFormatCount] = {8, 4, 2, 2, 1, 1, 2, 8, 4, 2, 1, 1, 1};
  return sizes[static_cast<int>(format)];
}
constexpr bool is_float(Format format) { return format <= Format::dl16; }
// The format of the same name: what PyTorch keeps in host memory.
constexpr Format host_format(DType dtype) {
  constexpr Format formats[kDTypeCount] = {Format::f64,    Format::f32,    Format::f16, Format::bf16,
                                           Format::f8e4m3, Format::f8e5m2, Format::i64, Format::i32,
                                           Format::i16,    Format::i8,     Format::u8,  Format::bool8};
  return formats[static_cast<int>(dtype)];
}

enum class Rounding : uint8_t { nearest_even, ties_up, toward_zero };  // ties_up: ties away from zero

// The value of a bit pattern; every finite value of these formats is a double. NaN payloads are not kept. dl16's one
// code for NaN and infinity decodes to NaN, because it absorbs in arithmetic. Integer formats: the integer, as a double
// (i64 rounds).
double decode(Format format, uint64_t bits);
// Rounds once to the format. The fraction is rounded first; a magnitude that then exceeds the largest finite one
// overflows: IEEE formats to infinity, f8e4m3 to 448 (torch 2.13; infinity too), dl16 to 0x7FFF, its one NaN-infinity
// code. NaN becomes the positive quiet NaN (both 8-bit floats: 0x7F, dl16: 0x7FFF). dl16 has no subnormals and no -0:
// what rounds to 2^-31 or below is 0. Integer formats: the low bits of wrap_integer(format, truncated value).
uint64_t encode(Format format, double value, Rounding rounding = Rounding::nearest_even);
// decode(encode(value)), quick paths for f32 and f64.
double round_to(Format format, double value, Rounding rounding = Rounding::nearest_even);

// Integer formats: two's complement wrap to the width (bool8: 0 or 1), and the value of stored bits.
int64_t wrap_integer(Format format, int64_t value);
int64_t decode_integer(Format format, uint64_t bits);
// The low bits of the integer; float formats hold the rounded number (Spyre keeps bools as dl16).
uint64_t encode_integer(Format format, int64_t value);
// Least and greatest integer of an integer format.
int64_t least_integer(Format format);
int64_t greatest_integer(Format format);

// Unit roundoff u (half an ulp at 1), smallest positive normal and subnormal, largest finite
// (docs/sources.md, Number formats). A format without subnormals gives its smallest normal as smallest_subnormal too.
struct FormatLimits {
  double unit_roundoff, smallest_normal, smallest_subnormal, largest;
  int precision_bits;  // integers up to 2^precision_bits are exact
};
inline constexpr FormatLimits kFormatLimits[] = {
    {0x1p-53, 0x1p-1022, 0x0.0000000000001p-1022, std::numeric_limits<double>::max(), 53},
    {0x1p-24, 0x1p-126, 0x1p-149, 0x1.fffffep127, 24},
    {0x1p-11, 0x1p-14, 0x1p-24, 65504, 11},
    {0x1p-8, 0x1p-126, 0x1p-133, 0x1.fep127, 8},
    {0x1p-4, 0x1p-6, 0x1p-9, 448, 4},
    {0x1p-3, 0x1p-14, 0x1p-16, 57344, 3},
    {0x1p-10, 0x1.008p-31, 0x1.008p-31, 8573157376.0, 10},
};
[[noreturn]] void no_float_format(Format format);
inline const FormatLimits& limits(Format format) {
  if (!is_float(format)) [[unlikely]]
    no_float_format(format);
  return kFormatLimits[static_cast<int>(format)];
}
// Every finite value of the float format `inner` is one of `outer`.
bool holds(Format outer, Format inner);
// Distance from |value| to the next larger number of the format (subnormal spacing near zero; beyond the largest finite
// number the spacing below it).
inline double ulp(Format format, double value) {
  const FormatLimits& limit = limits(format);
  const double magnitude = std::fabs(value) <= limit.largest ? std::fabs(value) : limit.largest;
  if (std::isnan(value)) return value;
  if (magnitude < limit.smallest_normal) return limit.smallest_subnormal;
  const int unit = static_cast<int>(std::bit_cast<uint64_t>(magnitude) >> 52) - 1023 - (limit.precision_bits - 1);
  return unit >= -1022 ? std::bit_cast<double>(static_cast<uint64_t>(unit + 1023) << 52) : std::ldexp(1.0, unit);
}

}  // namespace faultline
