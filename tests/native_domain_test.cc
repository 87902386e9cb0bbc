// NativeDomain: PyTorch's integer rules, rounding once per operation, sums in the declared format, bytes in memory.
#include "runtime/numerics/native_domain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/philox.h"

namespace faultline {
namespace {

using Value = NativeDomain::Value;

Value real(double number) {
  Value value;
  value.real = number;
  return value;
}

Value whole(int64_t number) {
  Value value;
  value.integer = number;
  return value;
}

class NativeDomainTest : public ::testing::Test {
 protected:
  double reals(Function function, DType dtype, double a, double b = 0) {
    const Value x = real(a), y = real(b);
    Value out;
    domain.apply(function, dtype, dtype, &out, &x, &y, nullptr, 1);
    return out.real;
  }
  int64_t integers(Function function, DType dtype, int64_t a, int64_t b = 0) {
    const Value x = whole(a), y = whole(b);
    Value out;
    domain.apply(function, dtype, dtype, &out, &x, &y, nullptr, 1);
    return out.integer;
  }
  Value cast(DType result, DType operand, Value value) {
    domain.apply(Function::cast, result, operand, &value, &value, nullptr, nullptr, 1);
    return value;
  }

  NativeDomain domain{host_arithmetic()};
};

TEST_F(NativeDomainTest, FloatsRoundOnce) {
  EXPECT_EQ(reals(Function::add, DType::f16, 2048, 1), 2048);
  EXPECT_EQ(reals(Function::add, DType::f16, 2048, 3), 2052);
  EXPECT_EQ(reals(Function::mul, DType::f16, 65504, 2), std::numeric_limits<double>::infinity());
  EXPECT_EQ(reals(Function::add, DType::f64, 1, 0x1p-53), 1);
  EXPECT_EQ(reals(Function::exp, DType::bf16, 1), 2.71875);
  EXPECT_EQ(reals(Function::round, DType::f32, 2.5), 2);
  EXPECT_EQ(reals(Function::remainder, DType::f32, -1, 3), 2);
  EXPECT_EQ(reals(Function::fmod, DType::f32, -1, 3), -1);
}

TEST_F(NativeDomainTest, NanIsExtremeInMaximum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(reals(Function::maximum, DType::f32, nan, 1)));
  EXPECT_TRUE(std::isnan(reals(Function::maximum, DType::f32, 1, nan)));
  EXPECT_TRUE(std::isnan(reals(Function::minimum, DType::f32, 1, nan)));
  EXPECT_EQ(reals(Function::minimum, DType::f32, 1, 2), 1);
  EXPECT_EQ(reals(Function::maximum, DType::f32, 1, 2), 2);
  EXPECT_TRUE(domain.replaces(Reduction::argmax, DType::f32, real(5), real(nan)));
  EXPECT_FALSE(domain.replaces(Reduction::argmax, DType::f32, real(nan), real(nan)));
  EXPECT_FALSE(domain.replaces(Reduction::argmin, DType::f32, real(1), real(1)));
}

TEST_F(NativeDomainTest, IntegersWrapAndNeverTrap) {
  const int64_t least = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(integers(Function::add, DType::i8, 100, 100), -56);
  EXPECT_EQ(integers(Function::mul, DType::i32, 1 << 20, 1 << 20), 0);
  EXPECT_EQ(integers(Function::neg, DType::u8, 1), 255);
  EXPECT_EQ(integers(Function::abs, DType::i32, least), least);
  EXPECT_EQ(integers(Function::div, DType::i32, least, -1), least);
  EXPECT_EQ(integers(Function::div, DType::i64, std::numeric_limits<int64_t>::min(), -1),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(integers(Function::div, DType::i32, 7, 0), 0);
  EXPECT_EQ(integers(Function::div, DType::i32, -7, 2), -3);
  EXPECT_EQ(integers(Function::remainder, DType::i32, -7, 2), 1);
  EXPECT_EQ(integers(Function::remainder, DType::i32, least, -1), 0);
  EXPECT_EQ(integers(Function::fmod, DType::i32, -7, 2), -1);
  EXPECT_EQ(integers(Function::pow, DType::i32, 3, 4), 81);
  EXPECT_EQ(integers(Function::pow, DType::i32, -1, -3), -1);
  EXPECT_EQ(integers(Function::shift_left, DType::i32, 1, 32), 0);
  EXPECT_EQ(integers(Function::shift_right, DType::i32, -8, 40), -1);
  EXPECT_EQ(integers(Function::bitwise_not, DType::boolean, 1), 0);
  EXPECT_EQ(integers(Function::bitwise_not, DType::u8, 5), 250);
  EXPECT_EQ(integers(Function::add, DType::boolean, 1, 1), 1);
}

TEST_F(NativeDomainTest, Casts) {
  EXPECT_EQ(cast(DType::i32, DType::f32, real(-2.9)).integer, -2);
  EXPECT_EQ(cast(DType::i32, DType::f32, real(1e10)).integer, std::numeric_limits<int32_t>::min());
  EXPECT_EQ(cast(DType::i64, DType::f32, real(std::numeric_limits<double>::quiet_NaN())).integer,
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(cast(DType::u8, DType::f32, real(300)).integer, 44);
  EXPECT_EQ(cast(DType::i8, DType::i32, whole(200)).integer, -56);
  EXPECT_EQ(cast(DType::boolean, DType::f32, real(0.25)).integer, 1);
  EXPECT_EQ(cast(DType::boolean, DType::i32, whole(256)).integer, 1);
  EXPECT_EQ(cast(DType::f16, DType::i32, whole(2049)).real, 2048);
  EXPECT_EQ(cast(DType::bf16, DType::f32, real(18.09375)).real, 18.125);
}

TEST_F(NativeDomainTest, SelectAndCompare) {
  const Value mask[] = {whole(1), whole(0)}, a[] = {real(1), real(2)}, b[] = {real(3), real(4)};
  Value out[2];
  domain.apply(Function::select, DType::f32, DType::f32, out, mask, a, b, 2);
  EXPECT_EQ(out[0].real, 1);
  EXPECT_EQ(out[1].real, 4);
  domain.apply(Function::less, DType::boolean, DType::f32, out, a, b, nullptr, 2);
  EXPECT_EQ(out[0].integer, 1);
  const Value nan = real(std::numeric_limits<double>::quiet_NaN());
  domain.apply(Function::not_equal, DType::boolean, DType::f32, out, &nan, &nan, nullptr, 1);
  EXPECT_EQ(out[0].integer, 1);
  domain.apply(Function::is_infinite, DType::boolean, DType::f32, out, &nan, nullptr, nullptr, 1);
  EXPECT_EQ(out[0].integer, 0);
}

TEST_F(NativeDomainTest, SumsStayInTheAccumulatorFormat) {
  // f16 terms in an f32 accumulator: 2048 + 1 is exact there, and the end rounds to even.
  auto sum = domain.accumulator(Reduction::sum, DType::f16);
  const Value terms[] = {real(2048), real(1), real(1)};
  for (const Value& term : terms) domain.accumulate(Reduction::sum, DType::f16, &sum, &term, 1);
  EXPECT_EQ(sum.total.real, 2050);
  EXPECT_EQ(domain.finish(Reduction::sum, DType::f16, sum).real, 2050);
  // 2^24 + 1 in f32 stays.
  auto single = domain.accumulator(Reduction::sum, DType::f32);
  const Value big = real(0x1p24), one = real(1);
  domain.multiply_accumulate(DType::f32, &single, &big, 0, &one, 0, 1);
  domain.multiply_accumulate(DType::f32, &single, &one, 0, &one, 0, 1);
  EXPECT_EQ(single.total.real, 0x1p24);
}

TEST_F(NativeDomainTest, IntegerReductions) {
  auto most = domain.accumulator(Reduction::max, DType::i32);
  EXPECT_EQ(domain.finish(Reduction::max, DType::i32, most).integer, std::numeric_limits<int32_t>::min());
  const Value seven = whole(7);
  domain.accumulate(Reduction::max, DType::i32, &most, &seven, 1);
  EXPECT_EQ(domain.finish(Reduction::max, DType::i32, most).integer, 7);
  auto every = domain.accumulator(Reduction::all, DType::boolean);
  const Value zero = whole(0);
  domain.accumulate(Reduction::all, DType::boolean, &every, &zero, 1);
  EXPECT_EQ(domain.finish(Reduction::all, DType::boolean, every).integer, 0);
  auto sum = domain.accumulator(Reduction::sum, DType::i8);
  const Value hundred = whole(100);
  domain.multiply_accumulate(DType::i8, &sum, &hundred, 0, &hundred, 0, 1);
  EXPECT_EQ(domain.finish(Reduction::sum, DType::i8, sum).integer, static_cast<int8_t>(10000 & 0xFF));
}

TEST_F(NativeDomainTest, MemoryIsLittleEndianBytes) {
  std::byte cells[4];
  domain.store(cells, DType::f32, real(1));
  EXPECT_EQ(cells[3], std::byte{0x3F});
  EXPECT_EQ(cells[2], std::byte{0x80});
  EXPECT_EQ(domain.load(cells, DType::f32).real, 1);
  domain.store(cells, DType::i16, whole(-2));
  EXPECT_EQ(domain.load(cells, DType::i16).integer, -2);
  EXPECT_EQ(domain.to_host(DType::bf16, domain.from_host(DType::bf16, 0x4190)), 0x4190u);
}

TEST_F(NativeDomainTest, PoisonPatternsDifferAndAreOrdinaryOrNot) {
  std::byte ordinary[4], strange[4];
  for (int i = 0; i < 4; ++i) ordinary[i] = domain.poison_cell(2, i), strange[i] = domain.poison_cell(1, i);
  EXPECT_TRUE(std::isfinite(domain.load(ordinary, DType::f32).real));
  EXPECT_TRUE(std::isfinite(domain.load(ordinary, DType::f16).real));
  EXPECT_TRUE(std::isnan(domain.load(strange, DType::f32).real));
  EXPECT_TRUE(std::isnan(domain.load(strange, DType::f16).real));
}

// A machine that sums products in blocks of four, each block exactly, and rounds the accumulator to f32 between blocks.
class BlockArithmetic final : public Arithmetic {
 public:
  std::string_view id() const override { return "block"; }
  Format storage_format(DType dtype) const override { return host_format(dtype); }
  Format compute_format(DType dtype) const override { return host_format(dtype); }
  Format accumulator_format(DType) const override { return Format::f32; }
  int product_block(DType) const override { return 4; }
  double add_products(DType, double accumulator, const double* a, const double* b, int count) const override {
    double sum = accumulator;
    for (int k = 0; k < count; ++k) sum += a[k] * b[k];
    return round_to(Format::f32, sum);
  }
};

TEST(NativeDomainBlocks, ProductsWaitForTheirBlock) {
  const BlockArithmetic arithmetic;
  NativeDomain domain(arithmetic);
  const Value one = real(1), big = real(0x1p24);
  auto sum = domain.accumulator(Reduction::sum, DType::f32);
  for (const Value* term : {&big, &one, &one, &one}) domain.multiply_accumulate(DType::f32, &sum, term, 0, &one, 0, 1);
  EXPECT_EQ(domain.finish(Reduction::sum, DType::f32, sum).real, 0x1p24 + 4);  // 2^24 + 3 rounds to even
  auto tail = sum;
  domain.multiply_accumulate(DType::f32, &tail, &one, 0, &one, 0, 1);
  domain.multiply_accumulate(DType::f32, &tail, &one, 0, &one, 0, 1);
  EXPECT_EQ(domain.finish(Reduction::sum, DType::f32, tail).real, 0x1p24 + 6);
  EXPECT_EQ(domain.finish(Reduction::sum, DType::f32, sum).real, 0x1p24 + 4) << "a copy shares nothing";
  domain.combine(Reduction::sum, DType::f32, &sum, tail);
  EXPECT_EQ(domain.finish(Reduction::sum, DType::f32, sum).real, 0x1p25 + 8);  // 2^25 + 10, spacing 4, tie to even
}

TEST(IdealArithmetic, KeepsTheByteSizesOfAnother) {
  class Narrow final : public Arithmetic {
   public:
    std::string_view id() const override { return "narrow"; }
    Format storage_format(DType dtype) const override {
      if (dtype == DType::i64) return Format::i32;
      if (dtype == DType::boolean || dtype == DType::f16) return Format::dl16;
      return host_format(dtype);
    }
    Format compute_format(DType dtype) const override { return storage_format(dtype); }
    Format accumulator_format(DType) const override { return Format::f32; }
  };
  const Narrow narrow;
  const IdealArithmetic ideal(&narrow);
  EXPECT_EQ(ideal.storage_format(DType::i64), Format::i32);
  EXPECT_EQ(ideal.storage_format(DType::boolean), Format::i16);
  EXPECT_EQ(ideal.storage_format(DType::f16), Format::f16);
  EXPECT_EQ(ideal.host_to_device(DType::i64, 0x1FFFFFFFFu), 0xFFFFFFFFu);
  EXPECT_EQ(ideal.device_to_host(DType::i64, 0xFFFFFFFFu), ~uint64_t{0});
}

}  // namespace
}  // namespace faultline
