// Without torch everything is a status with a reason, and nothing crashes. A program of its own: torch is looked for
// once.
#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/eager/eager.h"
#include "runtime/eager/interpreter.h"
#include "runtime/ir/program_text.h"

namespace faultline {
namespace {

class EagerUnavailable : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("FAULTLINE_TORCH_MODULE", "off", 1); }
};

TEST_F(EagerUnavailable, SaysWhy) {
  const EagerStatus status = eager_status();
  EXPECT_FALSE(status.available);
  EXPECT_EQ(status.why_not, "torch is switched off by FAULTLINE_TORCH_MODULE");
  EXPECT_FALSE(op_exists("aten.add.Tensor"));
  EXPECT_TRUE(op_names().empty());
  EXPECT_NE(eager_schema("aten.add.Tensor"), nullptr) << "the compiled-in table needs no torch";
}

TEST_F(EagerUnavailable, CallsAndProgramsAreUnavailable) {
  const Tensor x = make_tensor(contiguous_type(DType::f32, {2}));
  const OpResult result = eager_call("aten.neg.default", {{x}});
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, EagerError::Kind::unavailable);
  EXPECT_EQ(eager_call("no.such.op", {{x}}).error->kind, EagerError::Kind::unavailable);

  const Program program = parse_program("def f(x: f32[2]): y = aten.neg(x); return y", "test");
  EagerExecutor executor;
  const CallOutcome outcome = EagerInterpreter(program, executor, {}).run({{x}});
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(to_text(*outcome.error), "unavailable: torch is switched off by FAULTLINE_TORCH_MODULE");
  EXPECT_EQ(outcome.error_statement, 0);
}

}  // namespace
}  // namespace faultline
