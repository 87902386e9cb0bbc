// Whole cases on compilers of the outside world, by those back ends of torch.compile that generate no code: what is
// held to what, which stage is named, and what is no pass.
#include <gtest/gtest.h>

#include "runtime/backends/worker/worker_pool.h"
#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

class ExternalCase : public testing::Test {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
    if (const std::string why = place_of(find_external("dynamo")).unavailable; !why.empty()) GTEST_SKIP() << why;
  }
  static Verdict verdict_of(const std::string& line) { return run_case(parse_case(line)); }
};

TEST_F(ExternalCase, CloneIsClean) {
  const Verdict verdict = verdict_of("on=dynamo program=def f(x: f16[65]): y = aten.clone(x); return y");
  EXPECT_EQ(name(verdict.outcome), "pass");
  EXPECT_EQ(verdict.coverage.elements, 65);
  EXPECT_EQ(verdict.coverage.unjudged, 0);
}

// https://github.com/pytorch/pytorch/issues/198102: what lies between the windows is lost.
TEST_F(ExternalCase, AWriteThroughWindowsIsLostWhereTheGraphIsMadeFunctional) {
  const std::string program =
      "program=def f(x: i64[4,6]): v = aten.unfold(x, 1, 1, 5); z = aten.add_.Tensor(v, v); return x; "
      "call f(x = arange())";
  const Verdict traced = verdict_of("on=dynamo " + program);
  const Verdict functional = verdict_of("on=aot_eager " + program);
  EXPECT_EQ(name(traced.outcome), "pass");
  EXPECT_EQ(name(functional.outcome), "wrong_value");
  EXPECT_EQ(functional.origin.layer, Layer::decompose);
  ASSERT_FALSE(functional.tensors.empty());
  EXPECT_EQ(functional.tensors[0].wrong, 16);  // columns 1 to 4 of 4 rows
}

TEST_F(ExternalCase, WhatEagerRefusesMustBeRefused) {
  const Verdict verdict = verdict_of("on=dynamo program=def f(x: f32[3]): y = aten.index_select(x, 0, x); return y");
  EXPECT_EQ(name(verdict.outcome), "pass") << verdict.explanation;
  EXPECT_EQ(verdict.coverage.elements, 0);
}

// No decomposition knows the operator: the bound is measured, and that is said.
TEST_F(ExternalCase, WithoutPrimsTheBoundIsMeasured) {
  const Verdict verdict = verdict_of("on=dynamo program=def f(x: f32[8]): y = aten.digamma(x); return y");
  EXPECT_EQ(name(verdict.outcome), "pass");
  bool said = false;
  for (const std::string& line : verdict.skipped) said = said || line.find("held to eager in f64") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST_F(ExternalCase, AProgramWithoutAGraphIsNoPass) {
  EXPECT_EQ(name(verdict_of("on=dynamo program=def f(x: f32[2]): return x").outcome), "rejected");
}

TEST_F(ExternalCase, FaultsAreForModels) {
  EXPECT_THROW(verdict_of("on=dynamo fault=tile.trip_floor(*) program=def f(x: f32[2]): y = aten.neg(x); return y"),
               UserError);
}

}  // namespace
}  // namespace faultline
