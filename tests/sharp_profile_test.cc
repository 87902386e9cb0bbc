// The sharp profile and exact-integer data: what sound bounds on the data of a case hide, they show; and the rule of
// the sizes of such data comes out of the search.
#include <gtest/gtest.h>

#include "runtime/eager/eager.h"
#include "runtime/numerics/data_source.h"
#include "runtime/run/exact_data.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

Case case_of(const std::string& line) { return parse_case(line); }

// Published sizes, f32 sums of K products (largest A = B): 64: 512, 256: 256, 1024: 128, 4096: 64, with outputs kept in
// f32. The search goes by what the data are, whose sums stay below the largest: it may find more, never less; 2048 is
// the largest it tries.
TEST(ExactIntegers, AreAtLeastTheSizesOfTheRule) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  for (const auto& [depth, least] : {std::pair{64, 512}, std::pair{256, 256}, std::pair{1024, 128}}) {
    const auto found = exact_integers_of(case_of("program=def f(a: f32[3," + std::to_string(depth) + "], b: f32[" +
                                                 std::to_string(depth) + ",5]): y = aten.mm(a, b); return y"));
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_exact);
    EXPECT_GE(found->wide.most, least) << depth;
  }
}

TEST(ExactIntegers, LeaveWhatIsNamedAsItIs) {
  const Case test_case = case_of(
      "program=def f(a: f32[4], b: f32[4]): y = aten.add.Tensor(a, b); return y; "
      "call f(a = arange())");
  const Case changed = with_source(test_case, {"nonzero", {8, 1}});
  EXPECT_EQ(changed.program.calls[0].inputs.at("a").data.generator, "arange");
  EXPECT_EQ(changed.program.calls[0].inputs.at("b").data.generator, "nonzero");
  EXPECT_EQ(to_line(case_of(to_line(changed))), to_line(changed));
}

TEST(ExactIntegers, AreNoneWhereNothingIsOpen) {
  EXPECT_FALSE(exact_integers_of(case_of("program=def f(a: i64[4]): y = aten.add.Tensor(a, a); return y")));
}

// Numbers of nonzero(): within the limit, of both signs, as many zeros as asked for.
TEST(DataSource, NonzeroKeepsItsLimits) {
  const Tensor dense = materialise(contiguous_type(DType::f32, {4000}), {"nonzero", {3}}, 1, "x");
  const Tensor sparse = materialise(contiguous_type(DType::f32, {4000}), {"nonzero", {1, 8}}, 1, "x");
  const auto* numbers = reinterpret_cast<const float*>(dense.data());
  int counts[7] = {};
  for (int i = 0; i < 4000; ++i) {
    ASSERT_TRUE(numbers[i] != 0 && numbers[i] >= -3 && numbers[i] <= 3);
    ++counts[static_cast<int>(numbers[i]) + 3];
  }
  for (const int value : {0, 1, 2, 4, 5, 6}) EXPECT_NEAR(counts[value], 667, 120) << value - 3;
  int others = 0;
  for (int i = 0; i < 4000; ++i) others += reinterpret_cast<const float*>(sparse.data())[i] != 0;
  EXPECT_NEAR(others, 500, 90);
}

TEST(SharpProfile, IsAKeyOfTheCase) {
  const std::string line = "on=spyre oracle=sharp program=def f(x: f16[65]): y = aten.neg.default(x); return y";
  EXPECT_EQ(to_line(case_of(line)), line);
  try {
    case_of("oracle=shrap program=def f(x: f16[65]): y = aten.neg(x); return y");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "case: oracle= wants sound or sharp, found 'shrap', did you mean 'sharp'?");
  }
}

TEST(SharpProfile, AccusesNothingThatConforms) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  for (const char* program :
       {"def f(x: f16[8,4096]): y = aten.softmax.int(x, 1); return y",
        "def f(a: f16[16,256], b: f16[256,16]): y = aten.mm(a, b); return y",
        "def f(x: f32[8,256], w: f32[256], b: f32[256]): y = aten.layer_norm(x, [256], w, b, 1e-05); return y",
        "def f(x: f16[65]): y = aten.clone(x); return y"}) {
    const Verdict verdict = run_case(case_of("oracle=sharp program=" + std::string(program)));
    EXPECT_EQ(verdict.outcome, Outcome::pass) << program << verdict.explanation;
  }
}

}  // namespace
}  // namespace faultline
