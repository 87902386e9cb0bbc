// The exact domain's sums, products and contractions: examples worked apart from the domain, exact integers, and
// how wide the bounds of long sums are.
#include "runtime/exact/exact_domain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/base/philox.h"

namespace faultline {
namespace {

using Value = ExactDomain::Value;

Value exact(double number, double bound = 0) {
  Value value;
  value.value = number;
  value.bound = bound;
  return value;
}

Value unary(ExactDomain& domain, Function function, DType dtype, Value x) {
  domain.apply(function, dtype, dtype, &x, &x, nullptr, nullptr, 1);
  return x;
}

Value binary(ExactDomain& domain, Function function, DType dtype, const Value& x, const Value& y) {
  Value out;
  domain.apply(function, dtype, dtype, &out, &x, &y, nullptr, 1);
  return out;
}

double ratio(double out, const Value& reference) { return std::fabs(out - reference.value) / reference.bound; }

TEST(ExactExamples, FirstBfloatMatmul) {
  ExactDomain domain(host_arithmetic());
  auto sum = domain.accumulator(Reduction::sum, DType::bf16);
  sum.high = -9.28337, sum.magnitude = 168.76, sum.terms = sum.roundings = 256, sum.contraction = true,
  sum.quantum = -40;
  const Value y = domain.finish(Reduction::sum, DType::bf16, sum);
  EXPECT_NEAR(y.bound, 0.0338, 5e-5);
  EXPECT_NEAR(ratio(-9.3125, y), 0.86, 0.005);
  EXPECT_NEAR(ratio(2.28, y), 342, 1);
  EXPECT_NEAR(ratio(-9.0, y), 8.4, 0.05);
}

TEST(ExactExamples, FirstOverAWholeRow) {
  // 256 outputs of K = 256: both orders in f32 pass, a bf16 accumulator is flagged nearly always.
  constexpr int k_count = 256, outputs = 256;
  PhiloxStream stream(11, "matmul");
  ExactDomain domain(host_arithmetic());
  int narrow_flagged = 0, dropped_flagged = 0;
  double worst_legal = 0;
  for (int output = 0; output < outputs; ++output) {
    std::vector<double> a(k_count), b(k_count);
    auto sum = domain.accumulator(Reduction::sum, DType::bf16);
    double narrow = 0, forward = 0, reversed = 0, dropped = 0;
    for (int k = 0; k < k_count; ++k) {
      a[k] = round_to(Format::bf16, stream.normal()), b[k] = round_to(Format::bf16, stream.normal());
      const Value x = exact(a[k]), y = exact(b[k]);
      domain.multiply_accumulate(DType::bf16, &sum, &x, 0, &y, 0, 1);
      forward = round_to(Format::f32, forward + a[k] * b[k]);
      if (k < k_count - 8) dropped = forward;
      narrow = round_to(Format::bf16, narrow + round_to(Format::bf16, a[k] * b[k]));
    }
    for (int k = k_count; k-- > 0;) reversed = round_to(Format::f32, reversed + a[k] * b[k]);
    const Value y = domain.finish(Reduction::sum, DType::bf16, sum);
    for (const double legal : {forward, reversed})
      worst_legal = std::max(worst_legal, ratio(round_to(Format::bf16, legal), y));
    narrow_flagged += ratio(narrow, y) > 1;
    dropped_flagged += ratio(round_to(Format::bf16, dropped), y) > 1;
  }
  EXPECT_LE(worst_legal, 1);
  EXPECT_GT(worst_legal, 0.9);
  EXPECT_GE(narrow_flagged, 225);
  EXPECT_GE(dropped_flagged, 250);
}

TEST(ExactExamples, SecondAmplification) {
  ExactDomain domain(host_arithmetic());
  const Value e = unary(domain, Function::exp, DType::f32, exact(10));
  const Value y = binary(domain, Function::sub, DType::f32, e, exact(22026));
  EXPECT_NEAR(y.value, 0.4658, 1e-4);
  EXPECT_NEAR(ratio(y.value + 0x1p-9, y), 0.33, 0.005);
}

TEST(ExactExamples, ThirdSoftmaxWithMissingTerms) {
  constexpr int n = 4096;
  PhiloxStream stream(5, "softmax");
  ExactDomain domain(host_arithmetic());
  std::vector<Value> x(n), exps(n);
  auto most = domain.accumulator(Reduction::max, DType::f32), sum = domain.accumulator(Reduction::sum, DType::f32);
  for (Value& value : x) {
    value = exact(round_to(Format::f32, stream.normal()));
    domain.accumulate(Reduction::max, DType::f32, &most, &value, 1);
  }
  const Value largest = domain.finish(Reduction::max, DType::f32, most);
  double partial = 0;
  for (int i = 0; i < n; ++i) {
    exps[i] = unary(domain, Function::exp, DType::f32, binary(domain, Function::sub, DType::f32, x[i], largest));
    domain.accumulate(Reduction::sum, DType::f32, &sum, &exps[i], 1);
    if (i < n - 32) partial += exps[i].value;
  }
  const Value total = domain.finish(Reduction::sum, DType::f32, sum);
  const double excess = total.value / partial - 1;  // the page's data: 0.63 %, r = 26
  for (int i = 0; i < n; ++i) {
    const Value y = binary(domain, Function::div, DType::f32, exps[i], total);
    const double r = ratio(exps[i].value / partial, y);
    ASSERT_NEAR(r / excess, 26 / 0.0063, 0.06 * 26 / 0.0063);
    ASSERT_EQ(y.reasons, 0u);
  }
}

TEST(ExactExamples, FifthSizing) {
  ExactDomain domain(host_arithmetic());
  const auto bound_of = [&](int count, double a, double b) {
    auto sum = domain.accumulator(Reduction::sum, DType::bf16);
    for (int k = 0; k < count; ++k) {
      const Value x = exact(k % 2 == 0 ? a : -a), y = exact(b);
      domain.multiply_accumulate(DType::bf16, &sum, &x, 0, &y, 0, 1);
    }
    return domain.finish(Reduction::sum, DType::bf16, sum).bound;
  };
  EXPECT_EQ(bound_of(4096, 64, 64), 0);
  EXPECT_EQ(bound_of(1024, 128, 128), 0);
  EXPECT_GT(bound_of(4096, 65, 65), 0) << "a partial sum may exceed 2^24";
  EXPECT_EQ(bound_of(4096, 64.5, 64), 0) << "multiples of 32";
  EXPECT_GT(bound_of(4096, 64.5, 65), 0) << "multiples of 1/2";
}

TEST(ExactSums, ScaledIntegersAreExactToo) {
  ExactDomain domain(host_arithmetic());
  auto sum = domain.accumulator(Reduction::sum, DType::f32);
  for (int k = 0; k < 1000; ++k) {
    const Value x = exact(std::ldexp(k % 37, -30));
    domain.accumulate(Reduction::sum, DType::f32, &sum, &x, 1);
  }
  EXPECT_EQ(domain.finish(Reduction::sum, DType::f32, sum).bound, 0);
  const Value tenth = exact(round_to(Format::f32, 0.1));
  domain.accumulate(Reduction::sum, DType::f32, &sum, &tenth, 1);
  EXPECT_GT(domain.finish(Reduction::sum, DType::f32, sum).bound, 0);
}

// Accumulates in bf16, so that 256 terms have no bound.
class NarrowArithmetic final : public Arithmetic {
 public:
  std::string_view id() const override { return "narrow"; }
  Format storage_format(DType dtype) const override { return host_format(dtype); }
  Format compute_format(DType dtype) const override { return host_format(dtype); }
  Format accumulator_format(DType) const override { return Format::bf16; }
  Format multiplicand_format(DType) const override { return Format::bf16; }
};

TEST(ExactSums, LongSumsInShortFormatsHaveNoBound) {
  const NarrowArithmetic narrow;
  ExactDomain domain(narrow);
  const auto total = [&](int count, double term) {
    auto sum = domain.accumulator(Reduction::sum, DType::bf16);
    const Value x = exact(term);
    for (int k = 0; k < count; ++k) domain.accumulate(Reduction::sum, DType::bf16, &sum, &x, 1);
    return domain.finish(Reduction::sum, DType::bf16, sum);
  };
  const double third = round_to(Format::bf16, 1.0 / 3);
  EXPECT_EQ(total(255, third).reasons, 0u);
  EXPECT_EQ(total(256, third).reasons, uint32_t{Bounded::unbounded});
  EXPECT_TRUE(std::isinf(total(256, third).bound));
  EXPECT_EQ(total(256, 1).reasons, 0u) << "exact integers need no bound";
  EXPECT_EQ(total(256, 1).bound, 0);
  EXPECT_TRUE(std::isinf(total(257, 1).bound));
}

TEST(ExactSums, CutMultiplicandsAreCharged) {
  const NarrowArithmetic narrow;
  ExactDomain domain(narrow);
  auto sum = domain.accumulator(Reduction::sum, DType::f32);
  const Value x = exact(1 + 0x1p-20), y = exact(1);
  domain.multiply_accumulate(DType::f32, &sum, &x, 0, &y, 0, 1);
  const double u = 0x1p-8, gamma = u / (1 - u);
  EXPECT_NEAR(domain.finish(Reduction::sum, DType::f32, sum).bound, (1 + gamma) * (1 + u) * (1 + u) - 1, 1e-5);
}

TEST(ExactSums, SharpIsNarrowerForLongSums) {
  const auto bound_of = [](ErrorProfile profile, int count) {
    ExactDomain domain(host_arithmetic(), profile);
    auto sum = domain.accumulator(Reduction::sum, DType::f32);
    const Value x = exact(round_to(Format::f32, 0.1));
    for (int k = 0; k < count; ++k) domain.accumulate(Reduction::sum, DType::f32, &sum, &x, 1);
    return domain.finish(Reduction::sum, DType::f32, sum).bound;
  };
  EXPECT_NEAR(bound_of({.sharp = true}, 10000) / bound_of({}, 10000), 6.0 / 100, 1e-3);
  EXPECT_DOUBLE_EQ(bound_of({.sharp = true}, 30), bound_of({}, 30));
}

TEST(ExactSums, ExtremesAndProducts) {
  ExactDomain domain(host_arithmetic());
  auto most = domain.accumulator(Reduction::max, DType::f32), product = domain.accumulator(Reduction::prod, DType::f32);
  for (const Value& x : {exact(1, 0.5), exact(3, 0.25), exact(2)}) {
    domain.accumulate(Reduction::max, DType::f32, &most, &x, 1);
    domain.accumulate(Reduction::prod, DType::f32, &product, &x, 1);
  }
  const Value top = domain.finish(Reduction::max, DType::f32, most);
  EXPECT_EQ(top.value, 3);
  EXPECT_EQ(top.bound, 0.5);
  const Value times = domain.finish(Reduction::prod, DType::f32, product);
  EXPECT_EQ(times.value, 6);
  EXPECT_NEAR(times.bound, 1.5 * 3.25 * 2 - 6, 1e-5);
}

TEST(ExactSums, PartialSumsCombine) {
  ExactDomain domain(host_arithmetic());
  PhiloxStream stream(3, "split");
  auto whole = domain.accumulator(Reduction::sum, DType::f32), low = whole, high = whole;
  for (int k = 0; k < 200; ++k) {
    const Value x = exact(round_to(Format::f32, stream.normal())), y = exact(round_to(Format::f32, stream.normal()));
    domain.multiply_accumulate(DType::f32, &whole, &x, 0, &y, 0, 1);
    domain.multiply_accumulate(DType::f32, k < 77 ? &low : &high, &x, 0, &y, 0, 1);
  }
  domain.combine(Reduction::sum, DType::f32, &low, high);
  const Value one = domain.finish(Reduction::sum, DType::f32, whole),
              two = domain.finish(Reduction::sum, DType::f32, low);
  EXPECT_DOUBLE_EQ(one.value, two.value);
  EXPECT_NEAR(two.bound / one.bound, 1, 1e-9);
}

}  // namespace
}  // namespace faultline
