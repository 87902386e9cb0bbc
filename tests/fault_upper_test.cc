// Fault rows of capture, decompose, fuse and numerics: in several shapes and types they strike and are seen, and where
// they could change nothing they stay silent.
#include <gtest/gtest.h>

#include <limits>

#include "faults/wrapped_arithmetic.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"
#include "runtime/targets/spyre/arithmetic.h"
#include "tests/fault_trial.h"
#include "tests/fault_upper_samples.h"

namespace faultline {
namespace {

class UpperFault : public testing::TestWithParam<size_t> {
 protected:
  const FaultSample& sample() const { return kUpperSamples[GetParam()]; }
};

TEST_P(UpperFault, FiresAndIsSeenInEveryShapeAndType) {
  const Fault& fault = faults.at(sample().fault, "fault");
  const Layer layer = layer_of(fault);
  EXPECT_GE(sample().fires.size(), 2u);
  for (const char* program : sample().fires) {
    SCOPED_TRACE(program);
    FaultTrial trial(case_line(fault.id, program));
    const bool differs = trial.differs(first_rung(layer));
    EXPECT_GE(trial.fired(), 1);
    EXPECT_EQ(trial.ended(), "");
    const bool seen = differs || !trial.findings(layer).empty();
    EXPECT_TRUE(fault.expect == Expect::detect ? seen : fault.expect == Expect::benign || !seen);
    for (const Layer rung : kLayers) {
      if (rung <= first_rung(layer)) continue;
      trial.differs(rung);
      EXPECT_EQ(trial.ended(), "") << name(rung);
    }
  }
}

TEST_P(UpperFault, StaysSilentWhereItCouldChangeNothing) {
  for (const char* program : sample().silent) {
    SCOPED_TRACE(program);
    FaultTrial trial(case_line(sample().fault, program));
    EXPECT_FALSE(trial.differs(Layer::numerics));
    EXPECT_EQ(trial.fired(), 0);
  }
}

std::string test_name(const testing::TestParamInfo<size_t>& info) {
  std::string name(kUpperSamples[info.param].fault);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, UpperFault, testing::Range<size_t>(0, kUpperSamples.size()), test_name);

// From the case's text to its verdict: what is planted is detected and put down to its layer, a control is not accused.
TEST(UpperFaults, AreLocalisedExactlyOnTheirExamples) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  for (const FaultSample& sample : kUpperSamples) {
    const Fault& fault = faults.at(sample.fault, "fault");
    SCOPED_TRACE(sample.fault);
    const Verdict verdict = run_case(parse_case(case_line(fault.id, fault.example)));
    ASSERT_TRUE(verdict.planted.has_value());
    EXPECT_GE(verdict.planted->fired, 1);
    if (fault.expect == Expect::detect) {
      EXPECT_EQ(name(verdict.outcome), "detected");
      EXPECT_EQ(verdict.planted->localised, "exact");
    } else {
      EXPECT_EQ(name(verdict.outcome), "pass");
    }
  }
}

// Every row of the four layers has its samples.
TEST(UpperFaults, HaveSamples) {
  for (const Fault* fault : faults.rows) {
    const Layer layer = layer_of(*fault);
    if (layer > Layer::fuse && layer != Layer::numerics) continue;
    const auto named = [fault](const FaultSample& sample) { return sample.fault == fault->id; };
    EXPECT_TRUE(std::any_of(kUpperSamples.begin(), kUpperSamples.end(), named)) << fault->id;
  }
}

// A stale graph may want elements that the later call does not have. Its entry code refuses; nothing is read or written
// outside.
TEST(UpperFaults, AStaleGraphRefusesATensorThatIsTooSmall) {
  for (const char* program :
       {"def f(x: f32[8]): y = aten.exp(x); return y; call f(); call f(x: f32[4])",
        "def f(x: f32[8]): y = aten.exp(x); return y; call f(); call f(x: f16[8])",
        "def f(x: f32[4]{offset=4}): y = aten.mul_.Scalar(x, 2.0); return y; call f(); call f(x: f32[4])"}) {
    SCOPED_TRACE(program);
    FaultTrial trial(case_line("capture.guard_shape", program));
    for (const Layer rung : {Layer::decompose, Layer::schedule, Layer::numerics}) {
      EXPECT_TRUE(trial.differs(rung));
      EXPECT_NE(trial.ended().find("was compiled for"), std::string::npos) << trial.ended();
    }
  }
}

class Unchanged final : public WrappedArithmetic {
 public:
  using WrappedArithmetic::WrappedArithmetic;
};

// The base of the numerics rows does what it wraps, in functions, roundings, sums and transfers.
TEST(UpperFaults, AWrapperThatOverridesNothingChangesNothing) {
  const spyre::SpyreArithmetic base;
  const FiringCounter counter;
  const Unchanged wrapped(base, counter);
  const double operands[] = {0.3, -2.7, 65504, 1e-6, std::numeric_limits<double>::quiet_NaN()};
  const auto same = [](double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); };
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    for (const double a : operands)
      for (const double b : operands) {
        for (const Function function : {Function::add, Function::div, Function::pow, Function::sign, Function::exp})
          EXPECT_TRUE(same(wrapped.function(function, dtype, a, b), base.function(function, dtype, a, b)));
        const double products[] = {a, b};
        EXPECT_TRUE(same(wrapped.add_products(dtype, 0.1, products, products, 2),
                         base.add_products(dtype, 0.1, products, products, 2)));
        EXPECT_TRUE(same(wrapped.multiply_partial(dtype, a, b), base.multiply_partial(dtype, a, b)));
      }
    for (const uint64_t bits : {0x0001u, 0x3C01u, 0x7BFFu, 0x7C00u, 0xFE00u}) {
      EXPECT_EQ(wrapped.host_to_device(dtype, bits), base.host_to_device(dtype, bits));
      EXPECT_EQ(wrapped.device_to_host(dtype, bits), base.device_to_host(dtype, bits));
    }
  }
  EXPECT_EQ(counter.fired(), 0);
}

}  // namespace
}  // namespace faultline
