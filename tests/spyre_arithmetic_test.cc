// Vectors worked from the rules of docs/sources.md (Spyre: numbers), S1 to S14, through the arithmetic and the native
// domain.
#include "runtime/targets/spyre/arithmetic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/philox.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/numerics/native_domain.h"

namespace faultline::spyre {
namespace {

using Value = NativeDomain::Value;

SpyreQuirks with(std::vector<std::pair<const char*, const char*>> settings) {
  SpyreQuirks quirks;
  for (const auto& [name, setting] : settings) set_quirk(quirks, name, setting);
  return quirks;
}

uint64_t to_device(const SpyreQuirks& quirks, DType dtype, uint64_t bits) {
  return SpyreArithmetic(quirks).host_to_device(dtype, bits);
}

uint64_t to_host(const SpyreQuirks& quirks, DType dtype, uint64_t bits) {
  return SpyreArithmetic(quirks).device_to_host(dtype, bits);
}

double number(uint64_t dl16) { return decode(Format::dl16, dl16); }

// f(a, b) on DL16 bit patterns.
uint64_t operate(const SpyreQuirks& quirks, Function function, uint64_t a, uint64_t b = 0) {
  const SpyreArithmetic arithmetic(quirks);
  NativeDomain domain(arithmetic);
  Value x, y;
  x.real = number(a), y.real = number(b);
  domain.apply(function, DType::f16, DType::f16, &x, &x, row(function).arity > 1 ? &y : nullptr, nullptr, 1);
  return encode(Format::dl16, x.real);
}

// The sum of `count` products term x 1, as bits.
uint64_t dot(const SpyreQuirks& quirks, int count, double term) {
  const SpyreArithmetic arithmetic(quirks);
  NativeDomain domain(arithmetic);
  auto sum = domain.accumulator(Reduction::sum, DType::f16);
  Value x, one;
  x.real = round_to(Format::dl16, term), one.real = 1;
  for (int k = 0; k < count; ++k) domain.multiply_accumulate(DType::f16, &sum, &x, 0, &one, 0, 1);
  return encode(Format::dl16, domain.finish(Reduction::sum, DType::f16, sum).real);
}

const char* const kRoundings[] = {"ties_up", "trunc", "rne"};

TEST(SpyreVectors, S1Literals) {
  const SpyreArithmetic arithmetic;
  const auto bits = [&](double value) {
    return encode(Format::dl16, arithmetic.literal(real_literal(value, DType::f16)));
  };
  EXPECT_EQ(bits(1), 0x3E00u);
  EXPECT_EQ(bits(0.1), 0x3733u);
  EXPECT_EQ(bits(-2), 0xC000u);
  EXPECT_EQ(bits(-1e4), 0xD871u);
}

TEST(SpyreVectors, S2ToS4HostToDeviceRounding) {
  const struct {
    uint64_t host;
    std::array<uint64_t, 3> device;
  } cases[] = {{0x3C01, {0x3E01, 0x3E00, 0x3E00}},
               {0x3157, {0x38AC, 0x38AB, 0x38AC}},
               {0x38B9, {0x3C5D, 0x3C5C, 0x3C5C}},
               {0xC001, {0xC001, 0xC000, 0xC000}}};
  for (const auto& item : cases)
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(to_device(with({{"h2d_round", kRoundings[i]}}), DType::f16, item.host), item.device[i])
          << std::hex << item.host;
}

TEST(SpyreVectors, S5Carry) {
  const SpyreQuirks saturate = with({{"h2d_carry", "saturate"}}), carry = with({{"h2d_carry", "carry"}});
  EXPECT_EQ(to_device(saturate, DType::f16, 0x7BFF), 0x5DFFu);
  EXPECT_EQ(number(0x5DFF), 65472);
  EXPECT_EQ(to_device(carry, DType::f16, 0x7BFF), 0x5E00u);
  EXPECT_EQ(number(0x5E00), 65536);
  EXPECT_EQ(to_host(carry, DType::f16, 0x5E00), 0x7C00u);
  EXPECT_EQ(to_host(saturate, DType::f16, 0x5DFF), encode(Format::f16, 65472));
  EXPECT_EQ(to_device(saturate, DType::f16, 0xFBFF), 0xDDFFu);
}

TEST(SpyreVectors, S6SpecialsAsFinite) {
  const SpyreQuirks quirks = with({{"h2d_special", "as_finite"}});
  EXPECT_EQ(to_device(quirks, DType::f16, 0x7C00), 0x5E00u);
  EXPECT_EQ(to_device(quirks, DType::f16, 0x7E00), 0x5F00u);
  EXPECT_NEAR(std::log(number(0x5E00)), 11.0904, 5e-5);
  EXPECT_NEAR(std::log(number(0x5F00)), 11.4958, 5e-5);
  EXPECT_EQ(number(operate(quirks, Function::log, 0x5E00)), 11.09375);
  EXPECT_EQ(number(operate(quirks, Function::log, 0x5F00)), 11.5);
  EXPECT_EQ(to_device(with({{"h2d_special", "preserve"}}), DType::f16, 0xFC00), 0x7FFFu);
  EXPECT_EQ(to_device(with({{"h2d_special", "big_finite"}}), DType::f16, 0xFC00), 0xEFFFu);
}

TEST(SpyreVectors, S7Subnormals) {
  const SpyreQuirks exact = with({{"h2d_sub", "exact"}}), halve = with({{"h2d_sub", "halve"}});
  EXPECT_EQ(to_device(exact, DType::f16, 0x01F7), 0x1FEEu);
  EXPECT_EQ(to_host(exact, DType::f16, 0x1FEE), 0x01F7u);
  uint64_t bits = 503;
  for (const uint64_t next : {251u, 125u, 62u, 31u}) {
    bits = to_host(halve, DType::f16, to_device(halve, DType::f16, bits));
    EXPECT_EQ(bits, next);
  }
  EXPECT_EQ(to_device(with({{"h2d_sub", "flush"}}), DType::f16, 0x01F7), 0u);
}

TEST(SpyreVectors, S8Bfloat) {
  EXPECT_EQ(encode(Format::dl16, 18.09375), 0x4643u);
  EXPECT_EQ(to_host(with({{"d2h", "trunc"}}), DType::bf16, 0x4643), 0x4190u);
  EXPECT_EQ(to_host(with({{"d2h", "nearest"}}), DType::bf16, 0x4643), 0x4191u);
}

TEST(SpyreVectors, S9NanInfinityAbsorbs) {
  EXPECT_EQ(operate({}, Function::mul, 0x7FFF, 0x0000), 0x7FFFu);
  EXPECT_EQ(operate({}, Function::mul, 0x7FFE, 0x4000), 0x7FFFu);
  EXPECT_EQ(operate({}, Function::sign, 0x7FFF), 0x7FFFu);
  EXPECT_EQ(operate({}, Function::pow, 0x7FFF, 0x0000), 0x7FFFu);
  EXPECT_EQ(operate({}, Function::maximum, 0x3E00, 0x7FFF), 0x7FFFu);
  EXPECT_EQ(to_host({}, DType::f16, 0x7FFF), 0x7C00u);
  EXPECT_EQ(to_host({}, DType::bf16, 0x7FFF), 0x7F80u);
}

TEST(SpyreVectors, S10ProductRounding) {
  const uint64_t expected[] = {0x3E21, 0x3E20, 0x3E20};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(operate(with({{"op_round", kRoundings[i]}}), Function::mul, 0x3E10, 0x3E10), expected[i]);
}

TEST(SpyreVectors, S11AndS12PartialSums) {
  EXPECT_EQ(dot(with({{"psum", "f32"}}), 1536, 1), 0x5300u);
  EXPECT_EQ(dot(with({{"psum", "dl16"}}), 1536, 1), 0x5400u);
  EXPECT_EQ(dot(with({{"psum", "dl16"}, {"op_round", "trunc"}}), 1536, 1), 0x5200u);
  EXPECT_EQ(dot(with({{"psum", "f32"}}), 4096, 0.1), 0x4F33u);
  EXPECT_EQ(dot(with({{"psum", "dl16"}}), 4096, 0.1), 0x4C00u);
  EXPECT_EQ(dot(with({{"psum", "chunk(64)"}}), 4096, 0.1), 0x4F3Fu);
  EXPECT_EQ(number(0x4F3F), 415.5);
}

TEST(SpyreVectors, S13Tiny) {
  EXPECT_EQ(operate({}, Function::mul, encode(Format::dl16, 0x1p-30), encode(Format::dl16, 0.5)), 0u);
  EXPECT_EQ(encode(Format::dl16, 0x1p-31 * (1 + 0x1p-10), SpyreArithmetic().rounding(Format::dl16)), 0x0001u);
}

TEST(SpyreVectors, S14ExponentialLimit) {
  const SpyreArithmetic arithmetic;
  EXPECT_NEAR(std::log(limits(Format::dl16).largest), 22.872, 5e-4);
  EXPECT_EQ(encode(Format::dl16, arithmetic.function(Function::exp, DType::f16, 22.86, 0)), 0x7FF2u);
  EXPECT_EQ(encode(Format::dl16, arithmetic.function(Function::exp, DType::f16, 22.88, 0)), 0x7FFFu);
}

TEST(SpyreArithmetic, PresetsAndSettings) {
  const SpyreQuirks spring = spyre_preset("spring");
  EXPECT_EQ(to_device(spring, DType::f16, 0x3C01), 0x3E00u);
  EXPECT_EQ(to_device(spring, DType::f16, 0x7C00), 0x5E00u);
  EXPECT_EQ(to_host(spring, DType::bf16, 0x4643), 0x4190u);
  EXPECT_EQ(to_device(spyre_preset("autumn"), DType::f16, 0x3C01), 0x3E01u);
  EXPECT_THROW(spyre_preset("winter"), UserError);
  SpyreQuirks quirks;
  EXPECT_THROW(set_quirk(quirks, "h2d_rounds", "rne"), UserError);
  EXPECT_THROW(set_quirk(quirks, "h2d_round", "up"), UserError);
  EXPECT_THROW(set_quirk(quirks, "psum", "chunk(1)"), UserError);
}

TEST(SpyreArithmetic, TypesAndStorage) {
  const SpyreArithmetic arithmetic;
  for (const DType dtype : {DType::f64, DType::f8e5m2, DType::i16, DType::u8})
    EXPECT_THROW(arithmetic.storage_format(dtype), Rejected) << name(dtype);
  NativeDomain domain(arithmetic);
  EXPECT_THROW(domain.element_bytes(DType::f64), Rejected);
  EXPECT_EQ(domain.element_bytes(DType::boolean), 2);
  EXPECT_EQ(domain.element_bytes(DType::i64), 4);
  const int64_t wide = (int64_t{1} << 33) + 5;
  EXPECT_EQ(arithmetic.host_to_device(DType::i64, static_cast<uint64_t>(wide)), 5u);
  EXPECT_EQ(arithmetic.device_to_host(DType::i64, 0xFFFFFFFF), ~uint64_t{0});
  EXPECT_EQ(arithmetic.host_to_device(DType::boolean, 1), 0x3E00u);
  EXPECT_EQ(arithmetic.device_to_host(DType::boolean, 0x3E00), 1u);
  std::byte cells[2];
  domain.store(cells, DType::boolean, domain.integer(1, DType::boolean));
  EXPECT_EQ(cells[1], std::byte{0x3E});
  EXPECT_EQ(domain.load(cells, DType::boolean).integer, 1);
}

TEST(SpyreArithmetic, ConstantsAndNeutralElements) {
  const SpyreArithmetic arithmetic;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(arithmetic.literal(real_literal(infinity, DType::f16))));
  EXPECT_EQ(arithmetic.literal(real_literal(-infinity, DType::f32)), -infinity);
  const double least = arithmetic.literal(neutral_literal(Reduction::max, DType::f16));
  EXPECT_TRUE(std::isfinite(least));
  EXPECT_LE(least, -65472) << "under every number that a host f16 becomes";
  EXPECT_EQ(arithmetic.literal(neutral_literal(Reduction::prod, DType::f16)), 1);
  EXPECT_EQ(arithmetic.literal(neutral_literal(Reduction::max, DType::f32)), -infinity);
  EXPECT_EQ(arithmetic.integer_literal(neutral_literal(Reduction::max, DType::i64)),
            std::numeric_limits<int32_t>::min());
}

TEST(SpyreArithmetic, EveryHalfSurvivesButForOneBit) {
  const SpyreArithmetic arithmetic;
  for (uint64_t bits = 0x0400; bits < 0x7BFF; ++bits) {
    const uint64_t device = arithmetic.host_to_device(DType::f16, bits),
                   back = arithmetic.device_to_host(DType::f16, device);
    ASSERT_EQ(back, bits + (bits & 1)) << std::hex << bits;  // ties go away from zero
    ASSERT_EQ(arithmetic.host_to_device(DType::f16, bits | 0x8000), device | 0x8000);
  }
}

// The machine stays within the bounds its own declaration gives.
TEST(SpyreArithmetic, ConformsToItsDeclaredBounds) {
  for (const char* psum : {"f32", "dl16", "chunk(64)"}) {
    for (const char* round : kRoundings) {
      const SpyreArithmetic arithmetic(with({{"psum", psum}, {"op_round", round}}));
      NativeDomain native(arithmetic);
      ExactDomain exact(arithmetic);
      PhiloxStream stream(4, psum);
      double worst = 0;
      for (int output = 0; output < 200; ++output) {
        auto measured = native.accumulator(Reduction::sum, DType::f16);
        auto reference = exact.accumulator(Reduction::sum, DType::f16);
        for (int k = 0; k < 150; ++k) {
          const uint64_t a = encode(Format::f16, stream.normal()), b = encode(Format::f16, stream.normal());
          const Value x = native.from_host(DType::f16, a), y = native.from_host(DType::f16, b);
          const Bounded u = exact.from_host(DType::f16, a), v = exact.from_host(DType::f16, b);
          native.multiply_accumulate(DType::f16, &measured, &x, 0, &y, 0, 1);
          exact.multiply_accumulate(DType::f16, &reference, &u, 0, &v, 0, 1);
        }
        const Value out = native.finish(Reduction::sum, DType::f16, measured);
        const Bounded y = exact.finish(Reduction::sum, DType::f16, reference);
        ASSERT_EQ(y.reasons, 0u);
        worst = std::max(worst, std::fabs(out.real - y.value) / y.bound);
      }
      EXPECT_LE(worst, 1) << psum << " " << round;
      EXPECT_GT(worst, 0.01) << psum << " " << round;
    }
  }
}

}  // namespace
}  // namespace faultline::spyre
