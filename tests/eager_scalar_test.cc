// Python's scalar arithmetic, against results that Python 3.11 printed.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/ir/scalar_expression.h"

namespace faultline {
namespace {

Scalar evaluate(const char* op, Scalar a, Scalar b) {
  const Scalar operands[] = {a, b};
  return evaluate_scalar(op, operands);
}
constexpr int64_t kLarge = (int64_t{1} << 53) + 1;

TEST(EagerScalar, FloorsFloatQuotientsAsPythonDoes) {
  EXPECT_EQ(evaluate("//", 1.0, 0.1), Scalar(9.0)) << "the quotient rounds to 10, the floor of the exact one is 9";
  EXPECT_EQ(evaluate("%", 1.0, 0.1), Scalar(0.09999999999999995));
  EXPECT_EQ(evaluate("//", -1.0, 0.1), Scalar(-10.0));
  EXPECT_EQ(evaluate("//", 7.5, -2.0), Scalar(-4.0));
  EXPECT_EQ(evaluate("%", 7.5, -2.0), Scalar(-0.5));
  EXPECT_TRUE(std::signbit(std::get<double>(evaluate("%", 4.0, -2.0))));
  EXPECT_TRUE(std::signbit(std::get<double>(evaluate("//", 0.0, -2.0))));
}

TEST(EagerScalar, DividesLargeIntegersExactly) {
  EXPECT_EQ(evaluate("/", kLarge, int64_t{1}), Scalar(9007199254740992.0));
  EXPECT_EQ(evaluate("/", int64_t{9007199254740993}, int64_t{9007199254740992}), Scalar(1.0));
  EXPECT_EQ(evaluate("/", int64_t{9223372036854775807}, int64_t{3}), Scalar(3.0744573456182584e+18));
  EXPECT_EQ(evaluate("/", int64_t{27021597764222979}, int64_t{3}), Scalar(9007199254740992.0));
  EXPECT_EQ(evaluate("/", int64_t{1}, int64_t{9223372036854775807}), Scalar(1.0842021724855044e-19));
  EXPECT_EQ(evaluate("/", int64_t{5}, int64_t{-9223372036854775807 - 1}), Scalar(-5.421010862427522e-19));
  EXPECT_TRUE(std::signbit(std::get<double>(evaluate("/", int64_t{0}, int64_t{-5}))));
  EXPECT_EQ(evaluate("/", int64_t{-7}, int64_t{2}), Scalar(-3.5));
}

// Found by fuzzing: the result was read before it was made.
TEST(EagerScalar, AddsIntegers) {
  EXPECT_EQ(evaluate("+", int64_t{3}, int64_t{1}), Scalar(int64_t{4}));
  EXPECT_EQ(evaluate("-", int64_t{3}, int64_t{5}), Scalar(int64_t{-2}));
  EXPECT_EQ(evaluate("*", int64_t{3}, int64_t{-5}), Scalar(int64_t{-15}));
  EXPECT_EQ(evaluate("//", int64_t{7}, int64_t{-1}), Scalar(int64_t{-7}));
}

TEST(EagerScalar, ComparesIntegersAndFloatsExactly) {
  EXPECT_EQ(evaluate("==", kLarge, 9007199254740992.0), Scalar(false));
  EXPECT_EQ(evaluate(">", kLarge, 9007199254740992.0), Scalar(true));
  EXPECT_EQ(evaluate("<", 9007199254740992.0, kLarge), Scalar(true));
  EXPECT_EQ(evaluate("<", int64_t{9223372036854775807}, 9223372036854775808.0), Scalar(true));
  EXPECT_EQ(evaluate("!=", int64_t{1}, NAN), Scalar(true));
  EXPECT_EQ(evaluate("<", int64_t{1}, NAN), Scalar(false));
  EXPECT_EQ(evaluate("<=", int64_t{-3}, -2.5), Scalar(true));
  EXPECT_EQ(evaluate(">=", int64_t{-2}, -2.5), Scalar(true));
}

}  // namespace
}  // namespace faultline
