// The reducer on the modelled target with planted faults: what is left is one operation, of the same diagnosis, by the
// same path every time, and within its budget.
#include <gtest/gtest.h>

#include "reduce/program_edit.h"
#include "reduce/reduce.h"
#include "runtime/eager/eager.h"
#include "runtime/ir/program_text.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

ReducedCase reduced(const std::string& line, int runs_max = 400) {
  const Case test_case = parse_case(line);
  const std::optional<Verdict> verdict = run_without_sweep(test_case);
  EXPECT_TRUE(verdict && is_finding(*verdict)) << line;
  ReduceOptions options;
  options.runs_max = runs_max;
  options.run = run_without_sweep;
  const ReducedCase result = reduce_case(test_case, verdict.value_or(Verdict()), options);
  const std::optional<Verdict> again = run_without_sweep(result.test_case);
  EXPECT_TRUE(again && is_finding(*again)) << to_line(result.test_case);
  EXPECT_EQ(signature_of(*again).layer, signature_of(*verdict).layer);
  EXPECT_EQ(signature_of(*again).mechanism, signature_of(*verdict).mechanism);
  EXPECT_LE(result.runs, runs_max);
  return result;
}

constexpr const char* kSix =
    "def f(a: f16[3,65]{stride=1,3}, b: f16[3,65], m: bool[3,65]): s = aten.add.Tensor(a, b); t = aten.neg(s); "
    "u = aten.where.self(m, t, b); v = aten.abs(u); w = aten.transpose.int(v, 0, 1); z = aten.clone(w); "
    "return z, v; call f(a = uniform(3)); call f(a = arange())";

class Reduce : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  }
};

TEST_F(Reduce, PlantedFaultsToOneOperation) {
  for (const char* fault : {"tile.trip_floor(*)", "schedule.piece_floor(*)", "layout.pad_floor(*)"}) {
    const ReducedCase result = reduced(std::string("fault=") + fault + " program=" + kSix);
    EXPECT_EQ(operation_count(result.test_case.program), 1) << to_line(result.test_case);
    EXPECT_EQ(result.test_case.program.calls.size() > 1, false) << to_line(result.test_case);
  }
}

TEST_F(Reduce, SizesAndPlaces) {
  const ReducedCase result = reduced(
      "fault=tile.trip_floor(*) program=def f(a: f16[130,129]{stride=1,130 offset=5}): y = aten.neg(a); "
      "return y; call f(a = integers(-9,9,4))");
  const Parameter& parameter = result.test_case.program.parameters.at(0);
  EXPECT_EQ(parameter.tensor->offset, 0) << to_line(result.test_case);
  EXPECT_LE(element_count(parameter.tensor->sizes), 130) << to_line(result.test_case);
  EXPECT_TRUE(result.test_case.program.calls.empty()) << to_line(result.test_case);
}

TEST_F(Reduce, TheSamePathEveryTime) {
  const std::string line = std::string("fault=tile.trip_floor(*) program=") + kSix;
  const ReducedCase first = reduced(line), second = reduced(line);
  EXPECT_EQ(to_line(first.test_case), to_line(second.test_case));
  EXPECT_EQ(first.runs, second.runs);
}

TEST_F(Reduce, StopsAtItsBudget) {
  const ReducedCase result = reduced(std::string("fault=tile.trip_floor(*) program=") + kSix, 3);
  EXPECT_EQ(result.runs, 3);
}

// A fault that needs two operations keeps both.
TEST_F(Reduce, WhatIsNeededStays) {
  ReduceOptions options;
  options.run = [](const Case& candidate) -> std::optional<Verdict> {
    Verdict verdict;
    const std::string line = to_line(candidate.program);
    const bool both = line.find("aten.neg") != std::string::npos && line.find("aten.abs") != std::string::npos;
    verdict.symptom_outcome = both ? Outcome::wrong_value : Outcome::pass;
    return verdict;
  };
  Case test_case;
  test_case.program = parse_program(kSix, "test");
  Verdict verdict;
  verdict.symptom_outcome = Outcome::wrong_value;
  const ReducedCase result = reduce_case(test_case, verdict, options);
  EXPECT_EQ(operation_count(result.test_case.program), 2) << to_line(result.test_case);
}

TEST_F(Reduce, KeptStatementsGetWhatTheyNeed) {
  const Program program = parse_program(kSix, "test");
  const MadeValues made = made_values(program, 1);
  ASSERT_EQ(made.size(), 6U);
  std::vector<bool> kept(program.body.size(), false);
  kept[4] = true;
  const std::optional<Program> alone = keep_statements(program, kept, made, false);
  ASSERT_TRUE(alone);
  EXPECT_EQ(to_line(*alone).substr(0, 82),
            "def f(v: f16[3,65]): w = aten.transpose.int(v, 0, 1); return w; call f(); call f()");
  const Program small = with_size(*alone, 65, 4);
  EXPECT_EQ(*small.parameters[0].tensor, contiguous_type(DType::f16, {3, 4}));
}

TEST(ProgramEdit, DeadCodeIsSeen) {
  const auto is_live = [](const std::string& text) { return is_all_live(parse_program(text, "test")); };
  EXPECT_TRUE(is_live("def f(x: f32[3]): y = aten.neg(x); z = aten.abs(y); return z"));
  EXPECT_FALSE(is_live("def f(x: f32[3]): y = aten.neg(x); z = aten.abs(x); return z"));
  EXPECT_TRUE(is_live("def f(x: f32[3]): y = aten.neg_(x); z = aten.abs(x); return z"));
  const Program dead = parse_program("def f(x: f32[3]): y = aten.neg(x); z = aten.abs(x); return z", "test");
  EXPECT_EQ(with_all_returned(dead).returns, (std::vector<std::string>{"z", "y"}));
}

// Numbers and names of one program are no part of a signature.
TEST(Signature, ForgetsNumbersAndNames) {
  Verdict first, second;
  first.symptom_outcome = second.symptom_outcome = Outcome::crashed;
  first.evidence = {"raises where eager returns: KeyError: 'v7' at line 12"};
  second.evidence = {"raises where eager returns: KeyError: 'x' at line 3"};
  EXPECT_EQ(to_text(signature_of(first)), "crashed; -; -; -; raises where eager returns: KeyError: * at line #");
  EXPECT_EQ(signature_of(first), signature_of(second));
  second.operation = "aten.neg.default";
  EXPECT_FALSE(signature_of(first) == signature_of(second));
}

}  // namespace
}  // namespace faultline
