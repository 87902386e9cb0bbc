// The sign of a zero is part of the result where the program promises it and the machine keeps both zeros, and nowhere
// else.
#include "runtime/run/zero_sign.h"

#include <gtest/gtest.h>

#include "checkers/compare.h"
#include "runtime/eager/eager.h"
#include "runtime/run/compare_case.h"

namespace faultline {
namespace {

// Whether the sign of zeros counts in the first output, and in how many elements a run without faults is wrong.
std::pair<bool, int64_t> first_output(const std::string& program) {
  const Case test_case = parse_case("program=" + program);
  const Subject subject(test_case);
  const Comparison comparison = compare_case(subject);
  const TensorEvidence& tensor = comparison.evidence.tensors.at(0);
  return {tensor.zero_signs, compare_elements(tensor, tensor.actual).wrong};
}

TEST(ZeroSign, CountsWhereItIsPromised) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  const std::string data = "; call f(x = values(0, -0, 1.5, -0.25))";
  const std::pair<bool, int64_t> counts(true, 0), not_at_all(false, 0);
  EXPECT_EQ(first_output("def f(x: f32[8]): y = aten.neg(x); return y" + data), counts);
  EXPECT_EQ(first_output("def f(x: f32[8]): y = aten.ceil(x); z = aten.flip(y, [0]); return z" + data), counts);
  EXPECT_EQ(first_output("def f(x: f32[8]): y = aten.clone(x); return y" + data), counts);
  EXPECT_EQ(first_output("def f(x: f32[8]): y = aten.sub.Tensor(x, x); return y" + data), not_at_all);
  EXPECT_EQ(first_output("def f(x: f16[8]): y = aten.neg(x); return y" + data), not_at_all) << "DL16 has one zero";
}

TEST(ZeroSign, AnotherZeroIsWrongThere) {
  TensorEvidence tensor;
  tensor.eager_type = tensor.actual_type = contiguous_type(DType::f32, {2});
  tensor.eager = {0x80000000, 0};
  tensor.target = {{-0.0, 0.0}, {0, 0}, {0, 0}};
  EXPECT_EQ(compare_elements(tensor, {0, 0}).wrong, 0);
  tensor.zero_signs = true;
  EXPECT_EQ(compare_elements(tensor, {0, 0}).wrong, 1);
  EXPECT_EQ(compare_elements(tensor, {0x80000000, 0}).wrong, 0);
}

}  // namespace
}  // namespace faultline
