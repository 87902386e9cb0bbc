// The exact domain's functions, casts and memory: the claim that no conforming computation leaves its bound (checked
// against the native domain), that bounds are not much wider than they must be, and which reasons they give up for.
#include "runtime/exact/exact_domain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/base/philox.h"
#include "runtime/exact/error_propagation.h"
#include "runtime/numerics/native_domain.h"
#include "runtime/numerics/scalar.h"

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

Value to(ExactDomain& domain, DType result, DType operand, Value x) {
  domain.apply(Function::cast, result, operand, &x, &x, nullptr, nullptr, 1);
  return x;
}

double ratio(double out, const Value& reference) { return std::fabs(out - reference.value) / reference.bound; }

struct Range {
  Function function;
  double low, high;
};

// Every special function on a stretch of its domain.
constexpr Range kUnary[] = {{Function::neg, -9, 9},      {Function::reciprocal, 0.1, 9}, {Function::abs, -9, 9},
                            {Function::sqrt, 0.01, 9},   {Function::rsqrt, 0.1, 9},      {Function::exp, -8, 8},
                            {Function::exp2, -8, 8},     {Function::expm1, -4, 4},       {Function::log, 0.1, 9},
                            {Function::log2, 0.1, 9},    {Function::log10, 0.1, 9},      {Function::log1p, -0.7, 9},
                            {Function::sin, -9, 9},      {Function::cos, -9, 9},         {Function::tan, -1.3, 1.3},
                            {Function::asin, -0.9, 0.9}, {Function::acos, -0.9, 0.9},    {Function::atan, -9, 9},
                            {Function::sinh, -4, 4},     {Function::cosh, -4, 4},        {Function::tanh, -4, 4},
                            {Function::asinh, -9, 9},    {Function::acosh, 1.3, 9},      {Function::atanh, -0.9, 0.9},
                            {Function::erf, -3, 3},      {Function::erfc, -3, 2},        {Function::lgamma, 0.2, 9}};

TEST(ExactFunctions, PropagationCoversTheBoxAndIsNotLoose) {
  PhiloxStream stream(9, "box");
  for (const Range& range : kUnary) {
    double tightest = 0;
    for (int i = 0; i < 300; ++i) {
      const double x = range.low + (range.high - range.low) * stream.unit();
      const double e = std::ldexp(1 + stream.unit(), -5 - static_cast<int>(stream.below(12)));
      const double y = scalar_function(range.function, x, 0);
      uint32_t reasons = 0;
      const double bound = propagated_error(range.function, y, exact(x, e), Value{}, reasons);
      ASSERT_EQ(reasons, 0u) << name(range.function) << " at " << x;
      double worst = 0;
      for (int step = -16; step <= 16; ++step)
        worst = std::max(worst, std::fabs(scalar_function(range.function, x + e * step / 16, 0) - y));
      ASSERT_LE(worst, bound * (1 + 1e-9)) << name(range.function) << " at " << x << " +- " << e;
      tightest = std::max(tightest, worst / bound);
      ASSERT_LE(bound, 12 * worst + 0.1 * e) << name(range.function) << " at " << x << " +- " << e;
    }
    EXPECT_GT(tightest, 0.95) << name(range.function);
  }
}

TEST(ExactFunctions, BinaryPropagationCoversTheBox) {
  PhiloxStream stream(9, "box2");
  for (const Function function :
       {Function::add, Function::sub, Function::mul, Function::div, Function::maximum, Function::minimum, Function::pow,
        Function::atan2, Function::fmod, Function::remainder}) {
    double tightest = 0;
    for (int i = 0; i < 500; ++i) {
      const double a = 0.5 + 5 * stream.unit(), b = (0.5 + 3 * stream.unit()) * (stream.below(2) == 0 ? 1 : -1);
      const double ea = std::ldexp(1, -5 - static_cast<int>(stream.below(9))), eb = ea * stream.unit();
      const double y = scalar_function(function, a, b);
      uint32_t reasons = 0;
      const double bound = propagated_error(function, y, exact(a, ea), exact(b, eb), reasons);
      double worst = 0;
      for (const double s : {-1.0, -0.5, 0.0, 0.5, 1.0})
        for (const double t : {-1.0, -0.5, 0.0, 0.5, 1.0})
          worst = std::max(worst, std::fabs(scalar_function(function, a + s * ea, b + t * eb) - y));
      ASSERT_LE(worst, bound * (1 + 1e-9)) << name(function) << " " << a << " " << b;
      tightest = std::max(tightest, worst / bound);
    }
    EXPECT_GT(tightest, 0.9) << name(function);
  }
}

// A conforming machine: the native domain, chained functions, every type. r <= 1 always.
TEST(ExactFunctions, NativeChainsStayWithinTheirBounds) {
  PhiloxStream stream(2, "chain");
  NativeDomain native(host_arithmetic());
  ExactDomain domain(host_arithmetic());
  int compared = 0;
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
      const double start = round_to(host_format(dtype), stream.normal());
      NativeDomain::Value measured;
      measured.real = start;
      Value reference = exact(start);
      for (int step = 0; step < 3; ++step) {
        const Function function = kUnary[stream.below(std::size(kUnary))].function;
        native.apply(function, dtype, dtype, &measured, &measured, nullptr, nullptr, 1);
        reference = unary(domain, function, dtype, reference);
      }
      if (reference.reasons != 0 || !std::isfinite(reference.value)) continue;
      ASSERT_TRUE(std::isfinite(reference.bound));
      ++compared;
      if (measured.real == reference.value) continue;
      worst = std::max(worst, ratio(measured.real, reference));
      ASSERT_LE(worst, 1) << name(dtype) << " from " << start;
    }
    EXPECT_TRUE(worst > 0.3 || dtype == DType::f64) << name(dtype) << " " << worst;  // f64 is the reference itself
  }
  EXPECT_GT(compared, 40000);
}

TEST(ExactFunctions, ExactOperandsAndResultsCostNothing) {
  ExactDomain domain(host_arithmetic());
  EXPECT_EQ(binary(domain, Function::add, DType::f16, exact(1000), exact(24)).bound, 0);
  EXPECT_EQ(binary(domain, Function::mul, DType::f32, exact(0.5), exact(3)).bound, 0);
  EXPECT_EQ(binary(domain, Function::div, DType::f32, exact(3), exact(4)).bound, 0);
  EXPECT_EQ(unary(domain, Function::sqrt, DType::f32, exact(9)).bound, 0);
  EXPECT_GT(binary(domain, Function::add, DType::f16, exact(2048), exact(1)).bound, 0.9);
  EXPECT_GT(binary(domain, Function::div, DType::f32, exact(1), exact(3)).bound, 0);
  EXPECT_GT(unary(domain, Function::exp, DType::f32, exact(0)).bound, 0) << "exp(0) may be an ulp off 1";
  EXPECT_EQ(unary(domain, Function::neg, DType::f32, exact(1, 0.25)).bound, 0.25);
}

TEST(ExactFunctions, ReasonsAreGivenAndStick) {
  ExactDomain domain(host_arithmetic());
  const Value small = exact(1e-3, 1e-2);
  const Value quotient = binary(domain, Function::div, DType::f32, exact(1), small);
  EXPECT_TRUE(std::isinf(quotient.bound));
  EXPECT_EQ(reasons_text(binary(domain, Function::add, DType::f32, quotient, exact(1)).reasons), "denominator");
  EXPECT_EQ(reasons_text(unary(domain, Function::log, DType::f32, small).reasons), "domain");
  EXPECT_EQ(reasons_text(unary(domain, Function::sqrt, DType::f32, small).reasons), "domain");
  EXPECT_EQ(reasons_text(unary(domain, Function::floor, DType::f32, exact(1.999, 0.01)).reasons), "branch");
  EXPECT_EQ(unary(domain, Function::floor, DType::f32, exact(1.999, 0.01)).bound, 1);
  EXPECT_EQ(unary(domain, Function::floor, DType::f32, exact(1.9, 0.01)).reasons, 0u);
  EXPECT_EQ(reasons_text(binary(domain, Function::mul, DType::f16, exact(60000), exact(2)).reasons), "overflow");
  EXPECT_EQ(unary(domain, Function::log, DType::f32, exact(0)).reasons, 0u) << "-inf, exactly";
  EXPECT_EQ(to(domain, DType::i32, DType::f32, exact(3e9)).reasons, uint32_t{Bounded::undefined});
  EXPECT_EQ(to(domain, DType::i32, DType::f32, exact(2.99, 0.02)).reasons, uint32_t{Bounded::branch});
  EXPECT_EQ(to(domain, DType::i32, DType::f32, exact(-2.9)).integer, -2);
}

TEST(ExactFunctions, SelectsReachToTheOtherArmOnlyWhenUnstable) {
  ExactDomain domain(host_arithmetic());
  const auto choose = [&](const Value& x, const Value& threshold, const Value& yes, const Value& no) {
    Value mask, out;
    domain.apply(Function::less, DType::boolean, DType::f32, &mask, &x, &threshold, nullptr, 1);
    domain.apply(Function::select, DType::f32, DType::f32, &out, &mask, &yes, &no, 1);
    return out;
  };
  const Value stable = choose(exact(1, 0.1), exact(2), exact(10), exact(20));
  EXPECT_EQ(stable.value, 10);
  EXPECT_EQ(stable.bound, 0);
  const Value unstable = choose(exact(1.95, 0.1), exact(2), exact(10), exact(20));
  EXPECT_EQ(unstable.bound, 10);
  EXPECT_EQ(unstable.reasons, uint32_t{Bounded::branch});
  const Value x = exact(-0.01, 0.1);  // relu: the arms meet at the threshold
  const Value relu = choose(x, exact(0), exact(0), x);
  EXPECT_EQ(relu.value, 0);
  EXPECT_NEAR(relu.bound, 0.11, 1e-12);
  EXPECT_EQ(relu.reasons, 0u);
  EXPECT_EQ(domain.unstable_choices(), 0);
  EXPECT_TRUE(domain.replaces(Reduction::argmax, DType::f32, exact(1, 0.1), exact(1.05)));
  EXPECT_EQ(domain.unstable_choices(), 1);
}

TEST(ExactFunctions, CastsAndLiterals) {
  ExactDomain domain(host_arithmetic());
  EXPECT_EQ(to(domain, DType::f32, DType::f16, exact(0.25)).bound, 0);
  EXPECT_EQ(to(domain, DType::f32, DType::f16, exact(0.25, 0.01)).bound, 0.01) << "widening is exact";
  const Value narrow = to(domain, DType::f16, DType::f32, exact(1 + 0x1p-12));
  EXPECT_EQ(narrow.value, 1 + 0x1p-12) << "casts may be elided";
  EXPECT_EQ(narrow.bound, 0x1p-11);
  ExactDomain strict(host_arithmetic(), {.strict_casts = true});
  EXPECT_EQ(to(strict, DType::f16, DType::f32, exact(1 + 0x1p-12)).value, 1);
  EXPECT_EQ(to(strict, DType::f16, DType::f32, exact(1 + 0x1p-12)).bound, 0);
  EXPECT_EQ(domain.literal(real_literal(0.5, DType::f16)).bound, 0);
  const double tenth = decode(Format::f16, encode(Format::f16, 0.1));
  EXPECT_EQ(domain.literal(real_literal(0.1, DType::f16)).bound, std::fabs(tenth - 0.1));
  EXPECT_EQ(domain.integer(2049, DType::f16).bound, 1);
  EXPECT_EQ(domain.integer(2048, DType::f16).bound, 0);
}

TEST(ExactMemory, ValuesTravelWholeOrNotAtAll) {
  ExactDomain domain(host_arithmetic());
  ElementCell cells[8];
  domain.store(cells, DType::f32, exact(1.5, 0.25));
  domain.store(cells + 4, DType::f32, exact(2));
  EXPECT_EQ(domain.load(cells, DType::f32).bound, 0.25);
  EXPECT_EQ(reasons_text(domain.load(cells + 2, DType::f32).reasons), "torn");
  cells[5] = domain.poison_cell(6, 1);
  const Value poison = domain.load(cells + 4, DType::f32);
  EXPECT_TRUE(domain.is_poison(poison));
  EXPECT_EQ(poison.allocation, 6u);
  EXPECT_TRUE(domain.is_poison(binary(domain, Function::add, DType::f32, exact(1), poison)));
  auto sum = domain.accumulator(Reduction::sum, DType::f32);
  domain.accumulate(Reduction::sum, DType::f32, &sum, &poison, 1);
  EXPECT_TRUE(domain.is_poison(domain.finish(Reduction::sum, DType::f32, sum)));
  EXPECT_EQ(domain.from_host(DType::f16, 0x3C00).value, 1);
}

TEST(ExactIntegers, SureTermsDecideAnyAndAll) {
  ExactDomain domain(host_arithmetic());
  Value unsure, sure, no;
  unsure.integer = 0, unsure.reasons = Bounded::branch;
  sure.integer = 1;
  no.integer = 0;
  const auto reduced = [&](Reduction reduction, std::vector<Value> terms) {
    auto accumulator = domain.accumulator(reduction, DType::boolean);
    for (const Value& term : terms) domain.accumulate(reduction, DType::boolean, &accumulator, &term, 1);
    return domain.finish(reduction, DType::boolean, accumulator);
  };
  EXPECT_EQ(reduced(Reduction::any, {unsure, no}).reasons, uint32_t{Bounded::branch});
  EXPECT_EQ(reduced(Reduction::any, {unsure, sure}).reasons, 0u);
  EXPECT_EQ(reduced(Reduction::any, {sure, unsure}).integer, 1);
  EXPECT_EQ(reduced(Reduction::any, {sure, unsure}).reasons, 0u);
  EXPECT_EQ(reduced(Reduction::all, {no, unsure}).integer, 0);
  EXPECT_EQ(reduced(Reduction::all, {sure, unsure}).reasons, uint32_t{Bounded::branch});
}

}  // namespace
}  // namespace faultline
