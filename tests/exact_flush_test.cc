// Bounds where results under the smallest normal number become 0: what may lie there is asked of the whole interval of
// a value, not of its far end. The score of the oracle found it: a sum of flushed terms is flushed again.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/exact/exact_domain.h"
#include "runtime/numerics/declared_arithmetic.h"

namespace faultline {
namespace {

class ExactFlush : public testing::TestWithParam<DType> {
 protected:
  static DeclaredArithmetic flushing() {
    DeclaredArithmetic arithmetic("flushing");
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) arithmetic.formats(dtype).flushes_subnormals = true;
    return arithmetic;
  }
  double normal() const { return limits(host_format(GetParam())).smallest_normal; }
};

// 1.5 +- 1 may be 0.75, which becomes 0: that is 1.5 away.
TEST_P(ExactFlush, IsChargedWhereverTheIntervalReaches) {
  const DeclaredArithmetic arithmetic = flushing();
  ExactDomain domain(arithmetic);
  Bounded wide, zero, out;
  wide.value = 1.5 * normal();
  wide.bound = normal();
  domain.apply(Function::add, GetParam(), GetParam(), &out, &wide, &zero, nullptr, 1);
  EXPECT_GE(out.bound, 2 * normal());
  EXPECT_LE(out.bound, 2.02 * normal());
  auto sum = domain.accumulator(Reduction::sum, GetParam());
  domain.accumulate(Reduction::sum, GetParam(), &sum, &wide, 1);
  domain.accumulate(Reduction::sum, GetParam(), &sum, &zero, 1);
  out = domain.finish(Reduction::sum, GetParam(), sum);
  EXPECT_GE(out.bound, 2 * normal());
}

TEST_P(ExactFlush, CostsNothingFarFromZero) {
  const DeclaredArithmetic arithmetic = flushing();
  ExactDomain domain(arithmetic);
  Bounded wide, zero, out;
  wide.value = 4 * normal();
  wide.bound = normal();
  domain.apply(Function::add, GetParam(), GetParam(), &out, &wide, &zero, nullptr, 1);
  EXPECT_LE(out.bound, 1.02 * normal());
}

INSTANTIATE_TEST_SUITE_P(Types, ExactFlush, testing::Values(DType::f32, DType::f16, DType::bf16));

}  // namespace
}  // namespace faultline
