// Codecs against independent ways to say the same: the compiler's own half type, a nearest-value search over all
// patterns, the vectors of the target pages and of torch 2.13.
#include "runtime/numerics/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/philox.h"
#include "runtime/numerics/rounding.h"
#include "runtime/numerics/scalar.h"

namespace faultline {
namespace {

constexpr Format kSmallFloats[] = {Format::f16, Format::bf16, Format::f8e4m3, Format::f8e5m2, Format::dl16};
constexpr Rounding kRoundings[] = {Rounding::nearest_even, Rounding::ties_up, Rounding::toward_zero};

// A double with random bits whose exponent lies about the format's range, so that every path is met.
double random_double(PhiloxStream& stream, Format format) {
  const FloatShape shape = float_shape(format);
  const int low = shape.exponent_least - shape.fraction_bits - 4, high = shape.exponent_greatest + 3;
  const int exponent = low + static_cast<int>(stream.below(static_cast<uint32_t>(high - low)));
  uint64_t fraction = (uint64_t{stream.next()} << 20) ^ (uint64_t{stream.next()} & 0xFFFFF);
  // Half of the draws have few bits set below the format's own, so that ties are common.
  if (stream.below(2) == 0) fraction &= ~((uint64_t{1} << (51 - shape.fraction_bits)) - 1);
  const uint64_t sign = uint64_t{stream.below(2)} << 63;
  return std::bit_cast<double>(sign | (static_cast<uint64_t>(exponent + 1023) << 52) | fraction);
}

struct Known {
  double value;
  uint64_t bits;
};

// Every non-negative finite value in rising order, and two that do not exist but decide rounding: the one after the
// largest (its bits: what overflow leaves) and for dl16 the 2^-31 before the smallest (its bits: 0).
std::vector<Known> number_line(Format format) {
  std::vector<Known> line;
  for (uint64_t bits = 0; bits < uint64_t{1} << (8 * byte_size(format) - 1); ++bits)
    if (const double value = decode(format, bits); std::isfinite(value)) line.push_back({value, bits});
  std::sort(line.begin(), line.end(), [](const Known& a, const Known& b) { return a.value < b.value; });
  if (format == Format::dl16) line.insert(line.begin() + 1, {0x1p-31, 0});
  const double step = line.back().value - line[line.size() - 2].value;
  const uint64_t overflow = format == Format::f8e4m3 ? 0x7E : format == Format::dl16 ? 0x7FFF : line.back().bits + 1;
  line.push_back({line.back().value + step, overflow});
  return line;
}

uint64_t search_nearest(const std::vector<Known>& line, Format format, double value, Rounding rounding) {
  const double magnitude = std::fabs(value);
  size_t above = 0;
  while (above < line.size() && line[above].value < magnitude)
    above += line.size() - above > 64 && line[above + 64].value < magnitude ? 64 : 1;
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (8 * byte_size(format) - 1) : 0;
  uint64_t bits;
  if (above == line.size()) {
    bits = line.back().bits;
  } else if (line[above].value == magnitude) {
    bits = line[above].bits;
  } else {
    const double down = magnitude - line[above - 1].value, up = line[above].value - magnitude;  // exact: neighbours
    bool upward = up < down;
    // Position and last bit have the same parity; dl16 stands one further, by its made-up 2^-31 (fraction 0).
    if (up == down) upward = rounding == Rounding::ties_up || (above + (format == Format::dl16)) % 2 == 0;
    if (format == Format::dl16 && magnitude < 0x1p-31) upward = false;  // whatever it rounds to ends as 0
    if (rounding == Rounding::toward_zero) upward = false;
    bits = line[upward ? above : above - 1].bits;
  }
  if (format == Format::dl16 && (bits == 0 || bits == 0x7FFF)) return bits;
  return sign | bits;
}

TEST(Format, EveryPatternComesBack) {
  for (const Format format : kSmallFloats) {
    for (uint64_t bits = 0; bits < uint64_t{1} << (8 * byte_size(format)); ++bits) {
      const double value = decode(format, bits);
      uint64_t expected = bits;
      if (std::isnan(value)) {
        expected = format == Format::f16    ? 0x7E00
                   : format == Format::bf16 ? 0x7FC0
                   : format == Format::dl16 ? 0x7FFF
                                            : 0x7F;
      } else if (format == Format::dl16 && bits == 0x8000) {
        expected = 0;
      }
      for (const Rounding rounding : kRoundings)
        ASSERT_EQ(encode(format, value, rounding), expected) << name(format) << " " << std::hex << bits;
    }
  }
}

TEST(Format, RoundsToTheNearestOfAllValues) {
  for (const Format format : kSmallFloats) {
    const std::vector<Known> line = number_line(format);
    PhiloxStream stream(7, name(format));
    for (int i = 0; i < 4000; ++i) {
      const double value = random_double(stream, format);
      for (const Rounding rounding : kRoundings) {
        const uint64_t expected = search_nearest(line, format, value, rounding);
        ASSERT_EQ(encode(format, value, rounding), expected)
            << name(format) << " " << value << " rounding " << static_cast<int>(rounding);
        const double rounded = round_to(format, value, rounding), again = decode(format, expected);
        ASSERT_TRUE(rounded == again || (std::isnan(rounded) && std::isnan(again))) << name(format) << " " << value;
      }
    }
  }
}

TEST(Format, HalfAgreesWithTheCompilersOwn) {
  PhiloxStream stream(1, "half");
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = std::bit_cast<_Float16>(static_cast<uint16_t>(bits));
    const double value = decode(Format::f16, bits);
    ASSERT_TRUE(value == static_cast<double>(half) || (value != value && half != half)) << bits;
  }
  for (int i = 0; i < 200000; ++i) {
    const double value = random_double(stream, Format::f16);
    ASSERT_EQ(encode(Format::f16, value), std::bit_cast<uint16_t>(static_cast<_Float16>(value))) << value;
  }
}

TEST(Format, SinglePrecisionAgreesWithTheProcessor) {
  PhiloxStream stream(1, "single");
  for (int i = 0; i < 200000; ++i) {
    const double value = random_double(stream, Format::f32);
    const auto nearest = static_cast<float>(value);
    ASSERT_EQ(encode(Format::f32, value), std::bit_cast<uint32_t>(nearest));
    ASSERT_EQ(round_to(Format::f32, value), static_cast<double>(nearest));
    if (std::isinf(nearest)) continue;
    const float cut = std::fabs(nearest) > std::fabs(value) ? std::nextafterf(nearest, 0) : nearest;
    ASSERT_EQ(encode(Format::f32, value, Rounding::toward_zero), std::bit_cast<uint32_t>(cut)) << value;
  }
}

TEST(Format, BfloatIsTheUpperHalfOfSingle) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto single = static_cast<double>(std::bit_cast<float>(bits << 16));
    const double value = decode(Format::bf16, bits);
    ASSERT_TRUE(value == single || (std::isnan(value) && std::isnan(single)));
  }
}

TEST(Format, TorchVectorsOfEightBitFloats) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {464.0, 465.0, 1e6, infinity}) EXPECT_EQ(round_to(Format::f8e4m3, value), 448) << value;
  EXPECT_EQ(round_to(Format::f8e4m3, -infinity), -448);
  EXPECT_EQ(round_to(Format::f8e5m2, 465), 448);
  EXPECT_EQ(round_to(Format::f8e5m2, 480), 512);
  EXPECT_EQ(round_to(Format::f8e5m2, 61440), infinity);
  EXPECT_EQ(round_to(Format::f8e5m2, 61439), 57344);
}

// The vectors S1 to S4, S8 to S10, S13 and S14 of tests/spyre_arithmetic_test.cc, of the format alone.
TEST(Format, DlfloatVectors) {
  EXPECT_EQ(encode(Format::dl16, 1), 0x3E00u);
  EXPECT_EQ(encode(Format::dl16, 0.1), 0x3733u);
  EXPECT_EQ(encode(Format::dl16, -2), 0xC000u);
  EXPECT_EQ(encode(Format::dl16, -1e4), 0xD871u);
  const auto each_way = [](double value) {
    return std::array{encode(Format::dl16, value, Rounding::ties_up),
                      encode(Format::dl16, value, Rounding::toward_zero),
                      encode(Format::dl16, value, Rounding::nearest_even)};
  };
  using Three = std::array<uint64_t, 3>;
  EXPECT_EQ(each_way(decode(Format::f16, 0x3C01)), (Three{0x3E01, 0x3E00, 0x3E00}));
  EXPECT_EQ(each_way(decode(Format::f16, 0x3157)), (Three{0x38AC, 0x38AB, 0x38AC}));
  EXPECT_EQ(each_way(decode(Format::f16, 0x38B9)), (Three{0x3C5D, 0x3C5C, 0x3C5C}));
  EXPECT_EQ(each_way(decode(Format::f16, 0xC001)), (Three{0xC001, 0xC000, 0xC000}));
  EXPECT_EQ(encode(Format::dl16, 18.09375), 0x4643u);
  EXPECT_EQ(encode(Format::bf16, 18.09375, Rounding::toward_zero), 0x4190u);
  EXPECT_EQ(encode(Format::bf16, 18.09375), 0x4191u);
  EXPECT_EQ(encode(Format::dl16, decode(Format::dl16, 0x7FFE) * 2), 0x7FFFu);
  const double x = decode(Format::dl16, 0x3E10);
  EXPECT_EQ(each_way(x * x), (Three{0x3E21, 0x3E20, 0x3E20}));
  EXPECT_EQ(encode(Format::dl16, 0x1p-31), 0u);
  EXPECT_EQ(encode(Format::dl16, 0x1p-31 * (1 + 0x1p-10), Rounding::ties_up), 0x0001u);
  EXPECT_EQ(encode(Format::dl16, std::exp(22.86)), 0x7FF2u);
  EXPECT_EQ(encode(Format::dl16, std::exp(22.88)), 0x7FFFu);
  EXPECT_EQ(limits(Format::dl16).largest, 8573157376.0);
}

TEST(Format, LimitsFollowFromTheCodecs) {
  for (const Format format : kSmallFloats) {
    const FormatLimits& limit = limits(format);
    std::vector<Known> line = number_line(format);
    line.pop_back();
    EXPECT_EQ(limit.largest, line.back().value) << name(format);
    if (format == Format::dl16) line.erase(line.begin() + 1);
    EXPECT_EQ(limit.smallest_subnormal, line[1].value) << name(format);
    EXPECT_EQ(encode(format, 1 + 2 * limit.unit_roundoff), encode(format, 1) + 1) << name(format);
    const double exact = std::ldexp(1, limit.precision_bits);
    EXPECT_EQ(round_to(format, exact), exact);
    EXPECT_NE(round_to(format, exact + 1), exact + 1);
    for (size_t i = 1; i + 1 < line.size(); ++i)
      ASSERT_EQ(ulp(format, line[i].value), line[i + 1].value - line[i].value) << name(format) << " " << line[i].value;
  }
  EXPECT_EQ(ulp(Format::f64, 1), 0x1p-52);
  EXPECT_EQ(ulp(Format::f64, 0x1p-1022), 0x1p-1074);
  EXPECT_EQ(ulp(Format::f32, 22026), 0x1p-9);
}

TEST(Format, IntegersWrapAndKeepTheirBytes) {
  EXPECT_EQ(wrap_integer(Format::i32, int64_t{1} << 31), -(int64_t{1} << 31));
  EXPECT_EQ(wrap_integer(Format::i8, 200), -56);
  EXPECT_EQ(wrap_integer(Format::u8, -1), 255);
  EXPECT_EQ(encode_integer(Format::i16, -2), 0xFFFEu);
  EXPECT_EQ(decode_integer(Format::i16, 0xFFFE), -2);
  EXPECT_EQ(decode_integer(Format::bool8, 0x3C), 1);
  EXPECT_EQ(encode_integer(Format::dl16, 1), 0x3E00u);
  EXPECT_EQ(decode_integer(Format::dl16, 0x3E00), 1);
  EXPECT_EQ(least_integer(Format::i32), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(greatest_integer(Format::i64), std::numeric_limits<int64_t>::max());
}

TEST(Format, LargeIntegersRoundOnceToSingle) {
  // 2^60 + 2^36 + 1 is just over a tie of f32; rounded to double first it would be the tie, and go down.
  const int64_t number = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(round_to(Format::f32, sticky_double(number)), static_cast<double>(static_cast<float>(number)));
  EXPECT_NE(round_to(Format::f32, static_cast<double>(number)), static_cast<double>(static_cast<float>(number)));
  EXPECT_EQ(sticky_double(-number), -sticky_double(number));
}

}  // namespace
}  // namespace faultline
