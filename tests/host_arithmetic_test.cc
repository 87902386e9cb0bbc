// What host_arithmetic() declares of eager's CPU kernels, held against them on every 16-bit float: two ways of rsqrt,
// and products that round to their own type at every step. How exact they are was measured with torch 2.13.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "runtime/base/philox.h"
#include "runtime/eager/eager.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {
namespace {

constexpr DType kNarrow[] = {DType::f16, DType::bf16};
constexpr int kCodes = 1 << 16;

// rsqrt as single elements take it: the root is rounded to the type, then its inverse.
double stepwise_rsqrt(Format format, double x) { return round_to(format, 1 / round_to(format, std::sqrt(x))); }
double rsqrt_once(Format format, double x) { return round_to(format, 1 / std::sqrt(x)); }

Bounded bounded_rsqrt(ExactDomain& domain, DType dtype, double x) {
  Bounded value;
  value.value = x;
  domain.apply(Function::rsqrt, dtype, dtype, &value, &value, nullptr, nullptr, 1);
  return value;
}

TEST(HostRsqrt, TheBoundHoldsTwoRoundings) {
  ExactDomain domain(host_arithmetic());
  // Largest errors in ulps of the result.
  const double measured[] = {1.32700, 1.14354};
  for (size_t k = 0; k < std::size(kNarrow); ++k) {
    const Format format = host_format(kNarrow[k]);
    double ulps = 0, share = 0;
    for (uint64_t code = 0; code < kCodes; ++code) {
      const double x = decode(format, code);
      if (!(x > 0) || std::isinf(x)) continue;
      const Bounded y = bounded_rsqrt(domain, kNarrow[k], x);
      ASSERT_EQ(y.reasons, 0u) << x;
      const double error = std::fabs(stepwise_rsqrt(format, x) - y.value);
      ASSERT_LE(error, y.bound) << name(kNarrow[k]) << " at " << x;
      ASSERT_LE(std::fabs(rsqrt_once(format, x) - y.value), y.bound) << name(kNarrow[k]) << " at " << x;
      ulps = std::max(ulps, error / ulp(format, y.value));
      share = std::max(share, error / y.bound);
    }
    EXPECT_NEAR(ulps, measured[k], 1e-5) << name(kNarrow[k]);
    EXPECT_GT(share, 0.8) << "the bound is wider than it must be";
  }
}

TEST(HostRsqrt, OtherTypesRoundOnce) {
  ExactDomain domain(host_arithmetic());
  EXPECT_LE(bounded_rsqrt(domain, DType::f32, 2).bound, 2.6 * ulp(Format::f32, 0.7));
  EXPECT_EQ(host_arithmetic().inner_error(Function::rsqrt, DType::f32), 0);
  EXPECT_EQ(host_arithmetic().inner_error(Function::sqrt, DType::f16), 0);
}

class HostAgainstEager : public ::testing::Test {
 protected:
  void SetUp() override {
    const EagerStatus status = eager_status();
    if (!status.available) GTEST_SKIP() << status.why_not;
  }

  // Every code of a 16-bit type, `stride` elements apart.
  static Tensor all_codes(DType dtype, int64_t stride) {
    Tensor tensor = make_tensor({dtype, {kCodes}, {stride}, 0});
    for (int64_t code = 0; code < kCodes; ++code) {
      const auto bits = static_cast<uint16_t>(code);
      std::memcpy(tensor.data() + code * stride * 2, &bits, sizeof bits);
    }
    return tensor;
  }
  static double element(const Tensor& tensor, int64_t index) {
    uint16_t bits = 0;
    std::memcpy(&bits, tensor.data() + storage_index(tensor.type, index) * 2, sizeof bits);
    return decode(host_format(tensor.type.dtype), bits);
  }
};

// Dense tensors go through whole vectors, strided ones element by element.
TEST_F(HostAgainstEager, RsqrtRoundsOnceOrTwice) {
  for (const DType dtype : kNarrow)
    for (const int64_t stride : {1, 2}) {
      const Tensor x = all_codes(dtype, stride);
      const OpResult result = eager_call("aten.rsqrt.default", {{x}});
      ASSERT_FALSE(result.error) << to_text(*result.error);
      const Tensor& y = std::get<Tensor>(result.outputs.at(0).value);
      const Format format = host_format(dtype);
      for (int64_t code = 0; code < kCodes; ++code) {
        const double root = element(x, code), got = element(y, code);
        const double expected = stride == 1 ? rsqrt_once(format, root) : stepwise_rsqrt(format, root);
        if (std::isnan(expected) && std::isnan(got)) continue;
        ASSERT_EQ(got, expected) << name(dtype) << " at " << root << ", stride " << stride;
      }
    }
}

TEST_F(HostAgainstEager, ProductsRoundAtEveryStep) {
  constexpr int rows = 64, columns = 40;
  for (const DType dtype : kNarrow) {
    const Format format = host_format(dtype);
    PhiloxStream draws(7, "factors");
    Tensor x = make_tensor(contiguous_type(dtype, {rows, columns}));
    for (int64_t i = 0; i < rows * columns; ++i) {
      const uint64_t bits = encode(format, 0.75 + 0.5 * draws.unit());
      std::memcpy(x.data() + 2 * i, &bits, 2);
    }
    const OpResult result = eager_call("aten.prod.dim_int", {{x}, {int64_t{1}}});
    ASSERT_FALSE(result.error) << to_text(*result.error);
    const Tensor& y = std::get<Tensor>(result.outputs.at(0).value);
    NativeDomain native(host_arithmetic());
    ExactDomain exact(host_arithmetic());
    int unlike_once = 0;
    for (int64_t row = 0; row < rows; ++row) {
      auto machine = native.accumulator(Reduction::prod, dtype);
      auto reference = exact.accumulator(Reduction::prod, dtype);
      for (int64_t column = 0; column < columns; ++column) {
        NativeDomain::Value number;
        number.real = element(x, row * columns + column);
        Bounded factor;
        factor.value = number.real;
        native.accumulate(Reduction::prod, dtype, &machine, &number, 1);
        exact.accumulate(Reduction::prod, dtype, &reference, &factor, 1);
      }
      const Bounded bounded = exact.finish(Reduction::prod, dtype, reference);
      EXPECT_EQ(element(y, row), native.finish(Reduction::prod, dtype, machine).real) << name(dtype) << ", row " << row;
      EXPECT_LE(std::fabs(element(y, row) - bounded.value), bounded.bound) << name(dtype) << ", row " << row;
      unlike_once += element(y, row) != round_to(format, bounded.value);
    }
    EXPECT_GT(unlike_once, rows / 2) << "one rounding at the end would do for " << name(dtype);
  }
}

}  // namespace
}  // namespace faultline
