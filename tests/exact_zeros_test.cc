// Terms that round nothing: exact zeros of a sum and exact ones of a product, as masked reductions have many of
// (docs/decisions/updates.md). The bound is that of the others alone, and still holds for every order.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/base/philox.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/numerics/rounding.h"
#include "runtime/targets/spyre/arithmetic.h"

namespace faultline {
namespace {

using Value = ExactDomain::Value;

Value exact(double number, double bound = 0) {
  Value value;
  value.value = number;
  value.bound = bound;
  return value;
}

Value total(ExactDomain& domain, Reduction reduction, DType dtype, const std::vector<Value>& terms) {
  auto sum = domain.accumulator(reduction, dtype);
  for (const Value& term : terms) domain.accumulate(reduction, dtype, &sum, &term, 1);
  return domain.finish(reduction, dtype, sum);
}

Value contracted(ExactDomain& domain, DType dtype, const std::vector<Value>& a, const std::vector<Value>& b) {
  auto sum = domain.accumulator(Reduction::sum, dtype);
  for (size_t k = 0; k < a.size(); ++k) domain.multiply_accumulate(dtype, &sum, &a[k], 0, &b[k], 0, 1);
  return domain.finish(Reduction::sum, dtype, sum);
}

// Every tenth is a number, the others are `rest`.
std::vector<Value> among(int count, const Value& rest, uint64_t seed) {
  PhiloxStream stream(seed, "masked");
  std::vector<Value> terms(count, rest);
  for (int k = 0; k < count; k += 10) terms[k] = exact(round_to(Format::f32, 1 + stream.normal() / 8));
  return terms;
}

std::vector<Value> without(const std::vector<Value>& terms, double rest) {
  std::vector<Value> left;
  for (const Value& term : terms)
    if (term.value != rest) left.push_back(term);
  return left;
}

TEST(ExactZeros, ASumHasTheBoundOfItsOtherTerms) {
  ExactDomain domain(host_arithmetic());
  const std::vector<Value> masked = among(1000, exact(0), 1);
  const Value sparse = total(domain, Reduction::sum, DType::f32, masked);
  const Value dense = total(domain, Reduction::sum, DType::f32, without(masked, 0));
  EXPECT_GT(dense.bound, 0);
  EXPECT_DOUBLE_EQ(sparse.bound, dense.bound);
  EXPECT_EQ(sparse.value, dense.value);
  const std::vector<Value> unsure = among(1000, exact(0, 0x1p-40), 1);
  EXPECT_GT(total(domain, Reduction::sum, DType::f32, unsure).bound, 2 * dense.bound) << "such a zero may be a number";
}

TEST(ExactZeros, TheBoundHoldsForEveryOrder) {
  ExactDomain domain(host_arithmetic());
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    std::vector<Value> masked = among(400, exact(0), seed);
    const Value y = total(domain, Reduction::sum, DType::f32, masked);
    double forward = 0, backward = 0, blocks = 0, block = 0;
    for (size_t k = 0; k < masked.size(); ++k) {
      forward = round_to(Format::f32, forward + masked[k].value);
      backward = round_to(Format::f32, backward + masked[masked.size() - 1 - k].value);
      block = round_to(Format::f32, block + masked[k].value);
      if (k % 32 == 31) blocks = round_to(Format::f32, blocks + block), block = 0;
    }
    blocks = round_to(Format::f32, blocks + block);
    for (const double legal : {forward, backward, blocks}) EXPECT_LE(std::fabs(legal - y.value), y.bound) << seed;
  }
}

TEST(ExactZeros, ASumOfOneTermIsThatTerm) {
  ExactDomain domain(host_arithmetic());
  const Value unsure = exact(round_to(Format::f32, 0.1), 0x1p-30);
  const Value alone = total(domain, Reduction::sum, DType::f32, {exact(0), unsure, exact(0)});
  EXPECT_EQ(alone.value, unsure.value);
  EXPECT_LT(alone.bound, unsure.bound + ulp(Format::f32, unsure.value));
  const Value twice = total(domain, Reduction::sum, DType::f32, {unsure, exact(0), unsure});
  EXPECT_GT(twice.bound, 2 * unsure.bound);
}

TEST(ExactZeros, ContractionsLeaveThemOutToo) {
  ExactDomain domain(host_arithmetic());
  const std::vector<Value> a = among(1000, exact(0), 2);
  const std::vector<Value> b = among(1000, exact(0.3, 0x1p-20), 3), numbers(1000, exact(round_to(Format::f32, 0.3)));
  const Value sparse = contracted(domain, DType::f32, a, numbers);
  const std::vector<Value> left = without(a, 0), right(left.size(), numbers[0]);
  EXPECT_DOUBLE_EQ(sparse.bound, contracted(domain, DType::f32, left, right).bound);
  // The error of the other factor counts where the first is no zero, and there alone.
  EXPECT_LT(contracted(domain, DType::f32, a, b).bound, 1000 * 0x1p-20);
  std::vector<Value> infinite = numbers;
  infinite[1] = exact(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(contracted(domain, DType::f32, a, infinite).value)) << "0 times infinity";
}

TEST(ExactZeros, OnesOfAProduct) {
  ExactDomain domain(host_arithmetic());
  const std::vector<Value> masked = among(100, exact(1), 4);
  const Value sparse = total(domain, Reduction::prod, DType::f32, masked);
  const Value dense = total(domain, Reduction::prod, DType::f32, without(masked, 1));
  EXPECT_DOUBLE_EQ(sparse.bound, dense.bound);
  EXPECT_GT(dense.bound, 0);
  EXPECT_EQ(total(domain, Reduction::prod, DType::f32, std::vector<Value>(50, exact(1))).bound, 0);
}

// Zeros may leave each term a chunk of its own: 128 terms are then 128 roundings between chunks, not two.
TEST(ExactZeros, ChunksMayHoldOneTermEach) {
  spyre::SpyreQuirks quirks;
  quirks.psum = spyre::SpyreQuirks::Psum::chunk;
  const spyre::SpyreArithmetic arithmetic(quirks);
  const double together = arithmetic.sum_error(DType::f16, 128, 128),
               apart = arithmetic.sum_error(DType::f16, 128, 8192);
  EXPECT_GT(apart, together);
  EXPECT_GE(apart, gamma_factor(128, arithmetic.sum_unit_roundoff(DType::f16)));
  EXPECT_EQ(arithmetic.sum_error(DType::f16, 1, 8192), arithmetic.sum_error(DType::f16, 1, 1));
}

// What eager's index_add of halves does: every partial sum is rounded to the type.
TEST(ExactZeros, SumsInTheirOwnType) {
  ExactDomain domain(host_arithmetic());
  PhiloxStream stream(7, "own");
  int beyond = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Value> terms;
    double narrow = 0;
    for (int k = 0; k < 40; ++k) {
      terms.push_back(exact(round_to(Format::f16, stream.normal())));
      narrow = round_to(Format::f16, narrow + terms.back().value);
    }
    domain.sum_in_own_type(true);
    const Value own = total(domain, Reduction::sum, DType::f16, terms);
    domain.sum_in_own_type(false);
    const Value wide = total(domain, Reduction::sum, DType::f16, terms);
    EXPECT_LE(std::fabs(narrow - own.value), own.bound);
    EXPECT_GT(own.bound, wide.bound);
    beyond += std::fabs(narrow - wide.value) > wide.bound;
  }
  EXPECT_GT(beyond, 100);
}

}  // namespace
}  // namespace faultline
