// What maintainers called no bug (the negative controls of the public reports) is not accused: results that a
// conforming machine may give, however far they are from eager's. Two of the published kinds have no case here: an
// input that both runs share (every run gets copies, which the in-place case shows) and arguments that eager should
// have refused (eager is the installed one).
#include <gtest/gtest.h>

#include <cmath>

#include "checkers/compare.h"
#include "checkers/score/judge.h"
#include "checkers/score/score.h"
#include "checkers/suspects.h"
#include "runtime/eager/eager.h"
#include "runtime/numerics/declared_arithmetic.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

// Every legal implementation of a program on data of one's own.
void expect_no_accusation(std::string_view text, DType dtype, const std::vector<Numbers>* given = nullptr) {
  const ScoreSubject subject({"control", text}, dtype);
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ScoreTrial trial = make_trial(subject, seed % 2 == 0 ? ScoreData::normal : ScoreData::uniform, seed);
    if (given != nullptr) {
      trial.inputs = *given;
      trial.sound = subject.reference(*given, false);
      trial.sharp = subject.reference(*given, true);
    }
    const Numbers result = compute(legal_implementation(subject.graph(), seed), trial.inputs);
    const std::vector<bool> accused = accusations(subject, trial, result);
    EXPECT_FALSE(accused[kSoundJudge] || accused[kSharpJudge]) << text << " " << name(dtype) << " " << seed;
  }
}

Numbers numbers_of(const std::vector<double>& values, DType dtype) {
  Numbers numbers(values.size());
  for (size_t i = 0; i < values.size(); ++i) numbers[i].real = round_to(host_format(dtype), values[i]);
  return numbers;
}

// pt 189804: where erf is -1 but for its last ulp, gelu is 0 or a tiny negative number, and its sign 0 or -1.
TEST(NegativeControls, GeluThenSign) {
  std::vector<double> values;
  for (int i = 0; i < 65; ++i) values.push_back(-4.0 - 0.05 * i);
  const std::vector<Numbers> inputs = {numbers_of(values, DType::f32)};
  expect_no_accusation("def f(x: TYPE[65]): a = aten.gelu(x); b = aten.sign(a); return b", DType::f32, &inputs);
}

// pt 142839, 143182, 141561: instance norm off by 3e-7 to 2e-5 through the order of its sums.
TEST(NegativeControls, NormsInAnotherOrder) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    expect_no_accusation(
        "def f(x: TYPE[2,3,100]): m = aten.mean.dim(x, [2], True); c = aten.sub.Tensor(x, m);"
        " s = aten.mul.Tensor(c, c); v = aten.mean.dim(s, [2], True); e = aten.add.Scalar(v, 1e-05);"
        " r = aten.rsqrt(e); y = aten.mul.Tensor(c, r); return y",
        dtype);
}

// pt 163932, 160730: a softmax, and a branch, of a mean.
TEST(NegativeControls, SoftmaxAndBranchOfAMean) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    expect_no_accusation("def f(x: TYPE[32,200]): m = aten.mean.dim(x, [1]); y = aten.softmax.int(m, 0); return y",
                         dtype);
    expect_no_accusation(
        "def f(x: TYPE[32,200]): m = aten.mean.dim(x, [1]); c = aten.gt.Scalar(m, 0.0); n = aten.neg(m);"
        " y = aten.where.self(c, m, n); return y",
        dtype);
  }
}

// pt 189808: a NaN is a NaN, whatever its sign and payload.
TEST(NegativeControls, SignAndPayloadOfNaN) {
  TensorEvidence tensor;
  tensor.eager_type = tensor.actual_type = contiguous_type(DType::f32, {3});
  tensor.eager = {0x7FC00000, 0xFFC00000, 0x7F800001};
  tensor.target = {{NAN, NAN, NAN}, {0, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(compare_elements(tensor, {0xFFC00001, 0x7FC00000, 0xFFFFFFFF}).wrong, 0);
  EXPECT_EQ(compare_elements(tensor, {0xFFC00001, 0x7F800000, 0xFFFFFFFF}).wrong, 1) << "an infinity is none";
}

// Accumulation in bf16 by design is judged by that, and the same result is wrong where f32 is declared.
TEST(NegativeControls, ADeclaredNarrowAccumulator) {
  const ScoreSubject subject({"control", "def f(a: TYPE[16,64], b: TYPE[64,16]): y = aten.mm(a, b); return y"},
                             DType::bf16);
  DeclaredArithmetic declared("sums in bf16");
  declared.formats(DType::f32).accumulator = Format::bf16;  // in which the operation computes
  int accused = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Implementation narrow = legal_implementation(subject.graph(), seed);
    narrow.accumulator = Format::bf16;
    ScoreTrial trial = make_trial(subject, ScoreData::normal, seed);
    const Numbers result = compute(narrow, trial.inputs);
    accused += accusations(subject, trial, result)[kSoundJudge];
    trial.sound = subject.reference(trial.inputs, declared);
    EXPECT_FALSE(accusations(subject, trial, result)[kSoundJudge]) << seed;
  }
  EXPECT_EQ(accused, 20);
}

Outcome outcome_of(const std::string& program) {
  Case test_case = parse_case("program=" + program);
  return run_case(test_case).outcome;
}

// pt 151525: the index of the largest of means that differ by less than their rounding; and what changes its input.
TEST(NegativeControls, OnTheWholeStack) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  for (const char* program :
       {"def f(x: f16[8,65]): y = aten.cat([x, x], 0); m = aten.mean.dim(y, [1]); i = aten.argmax(m); return i",
        "def f(x: f32[8,65]): z = aten.flip(x, [1]); y = aten.cat([x, z], 0); m = aten.mean.dim(y, [1]); "
        "i = aten.argmax(m); return i",
        "def f(x: f32[4,65]): a = aten.gelu(x); b = aten.sign(a); return b",
        "def f(x: f16[4,65]): a = aten.add_.Scalar(x, 1); return a",
        "def f(x: f16[2,3,64]): m = aten.mean.dim(x, [2]); y = aten.softmax.int(m, 1); return y"}) {
    const Outcome outcome = outcome_of(program);
    EXPECT_TRUE(outcome == Outcome::pass || outcome == Outcome::untrusted) << program << ": " << name(outcome);
  }
}

}  // namespace
}  // namespace faultline
