// Whole programs in eager torch: state, branches, aliases, object identity, errors. Expected numbers are small enough
// to follow by hand and were confirmed with the same programs in Python.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/eager/eager.h"
#include "runtime/eager/eager_segment.h"
#include "runtime/eager/interpreter.h"
#include "runtime/ir/program_text.h"

namespace faultline {
namespace {

Tensor floats(Sizes sizes, std::vector<float> elements) {
  Tensor result = make_tensor(contiguous_type(DType::f32, std::move(sizes)));
  EXPECT_EQ(result.storage->size(), elements.size() * sizeof(float));
  std::memcpy(result.data(), elements.data(), result.storage->size());
  return result;
}
std::vector<float> elements(const Value& value) {
  const Tensor& tensor = std::get<Tensor>(value.value);
  std::vector<float> result(static_cast<size_t>(element_count(tensor.type.sizes)));
  for (size_t i = 0; i < result.size(); ++i)
    std::memcpy(&result[i], tensor.data() + 4 * storage_index(tensor.type, static_cast<int64_t>(i)), 4);
  return result;
}
using Floats = std::vector<float>;

class EagerProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    const EagerStatus status = eager_status();
    if (!status.available) GTEST_SKIP() << status.why_not;
  }
  CallOutcome run(const std::string& text, const ValueList& inputs) {
    const Program program = parse_program(text, "test");
    return EagerInterpreter(program, executor_, {}).run(inputs);
  }
  EagerExecutor executor_;
};

TEST_F(EagerProgram, ReturnsNamesInOrderAndKeepsInputs) {
  const CallOutcome outcome = run("def f(x: f32[2]): y = aten.neg(x); z = aten.add.Tensor(y, x, alpha=3); return z, y",
                                  {{floats({2}, {1, 2})}});
  ASSERT_FALSE(outcome.error) << to_text(*outcome.error);
  ASSERT_EQ(outcome.outputs.size(), 2u);
  EXPECT_EQ(outcome.outputs[0].name, "z");
  EXPECT_EQ(elements(outcome.outputs[0].value), (Floats{2, 4}));
  EXPECT_EQ(elements(outcome.outputs[1].value), (Floats{-1, -2}));
  EXPECT_EQ(elements(outcome.inputs_after[0].value), (Floats{1, 2}));
}

TEST_F(EagerProgram, ReadsScalarsAndBranches) {
  const std::string text =
      "def f(x: f32[3], n: int):\n"
      "  s = aten.sum(x)\n"
      "  v = s.item()\n"
      "  w = v * n\n"
      "  c = w > 5.0\n"
      "  if c { y = aten.mul.Scalar(x, w) } else { y = aten.neg(x) }\n"
      "  return y, w\n";
  const CallOutcome large = run(text, {{floats({3}, {1, 2, 3})}, {int64_t{2}}});
  ASSERT_FALSE(large.error) << to_text(*large.error);
  EXPECT_EQ(elements(large.outputs[0].value), (Floats{12, 24, 36}));
  EXPECT_EQ(std::get<double>(large.outputs[1].value.value), 12.0);
  EXPECT_EQ(elements(run(text, {{floats({3}, {1, 2, 3})}, {int64_t{0}}}).outputs[0].value), (Floats{-1, -2, -3}));
}

TEST_F(EagerProgram, StateOutlivesACallAndOutcomesDoNotChange) {
  const Program program = parse_program(
      "self.total = tensor f32[2] = zeros()\n"
      "def f(x: f32[2]):\n"
      "  w = self.total\n"
      "  t = aten.add_.Tensor(w, x)\n"
      "  return t\n",
      "test");
  EagerInterpreter interpreter(program, executor_, {{"total", {floats({2}, {0, 0})}}});
  const CallOutcome first = interpreter.run({{floats({2}, {1, 2})}});
  const CallOutcome second = interpreter.run({{floats({2}, {10, 20})}});
  ASSERT_FALSE(second.error) << to_text(*second.error);
  EXPECT_EQ(elements(first.outputs[0].value), (Floats{1, 2}));
  EXPECT_EQ(elements(first.attributes_after[0].value), (Floats{1, 2}));
  EXPECT_EQ(elements(second.attributes_after[0].value), (Floats{11, 22}));
  EXPECT_EQ(second.outputs[0].alias, "attribute total");
}

TEST_F(EagerProgram, WrittenAttributeIsTheObjectItself) {
  const Program program = parse_program(
      "def f(x: f32[2]):\n"
      "  y = aten.clone(x)\n"
      "  self.kept = y\n"
      "  z = aten.mul_.Scalar(y, 2.0)\n"
      "  w = self.kept\n"
      "  return w\n",
      "test");
  EagerInterpreter interpreter(program, executor_, {});
  const CallOutcome outcome = interpreter.run({{floats({2}, {1, 2})}});
  ASSERT_FALSE(outcome.error) << to_text(*outcome.error);
  EXPECT_EQ(elements(outcome.outputs[0].value), (Floats{2, 4}));
}

TEST_F(EagerProgram, ViewsAliasesAndMutatedInputs) {
  const CallOutcome outcome =
      run("def f(x: f32[4]):\n"
          "  a, b = aten.split.Tensor(x, 2)\n"
          "  c = aten.mul_.Scalar(b, 10)\n"
          "  d = aten.clone(x)\n"
          "  e = aten.select.int(d, 0, 1)\n"
          "  return c, d, e\n",
          {{floats({4}, {1, 2, 3, 4})}});
  ASSERT_FALSE(outcome.error) << to_text(*outcome.error);
  EXPECT_EQ(elements(outcome.inputs_after[0].value), (Floats{1, 2, 30, 40}));
  EXPECT_EQ(outcome.outputs[0].alias, "input x");
  EXPECT_EQ(outcome.outputs[0].value.tensor()->type, (TensorType{DType::f32, {2}, {1}, 2}));
  EXPECT_EQ(outcome.outputs[1].alias, "");
  EXPECT_EQ(outcome.outputs[2].alias, "output d");
  EXPECT_EQ(outcome.outputs[2].value.tensor()->storage, outcome.outputs[1].value.tensor()->storage);
}

TEST_F(EagerProgram, AliasedInputsShareStorage) {
  const Tensor a = floats({4}, {1, 2, 3, 4});
  const Tensor b = {{DType::f32, {2}, {1}, 2}, a.storage};
  const CallOutcome outcome =
      run("def f(a: f32[4], b: f32[2]{offset=2 of=a}): c = aten.fill_.Scalar(b, 9); return a", {{a}, {b}});
  ASSERT_FALSE(outcome.error) << to_text(*outcome.error);
  EXPECT_EQ(elements(outcome.outputs[0].value), (Floats{1, 2, 9, 9}));
  EXPECT_EQ(outcome.inputs_after[1].alias, "input a");
}

TEST_F(EagerProgram, ReshapingInPlaceShowsUnderEveryName) {
  const CallOutcome outcome =
      run("def f(x: f32[2,3]): y = aten.relu_(x); z = aten.t_(x); return y", {{floats({2, 3}, {0, 1, 2, 3, 4, 5})}});
  ASSERT_FALSE(outcome.error) << to_text(*outcome.error);
  EXPECT_EQ(outcome.outputs[0].value.tensor()->type.sizes, (Sizes{3, 2}));
  EXPECT_EQ(outcome.inputs_after[0].value.tensor()->type.sizes, (Sizes{3, 2}));
}

TEST_F(EagerProgram, ErrorsSayWhereAndKeepWhatWasDone) {
  const CallOutcome outcome =
      run("def f(x: f32[2], flag: bool):\n"
          "  y = aten.neg_(x)\n"
          "  if flag { a = aten.abs(x); z = aten.neg(a) } else { b = aten.abs(x); z = aten.view(b, [3]) }\n"
          "  return z\n",
          {{floats({2}, {1, 2})}, {false}});
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(to_text(*outcome.error), "RuntimeError: shape '[3]' is invalid for input of size 2");
  EXPECT_EQ(outcome.error_statement, 5) << "neg_ 0, if 1, abs 2, neg 3, abs 4, view 5";
  EXPECT_TRUE(outcome.outputs.empty());
  EXPECT_EQ(elements(outcome.inputs_after[0].value), (Floats{-1, -2}));
}

TEST_F(EagerProgram, PythonsErrors) {
  const auto error = [](const CallOutcome& outcome) { return outcome.error ? to_text(*outcome.error) : "no error"; };
  const ValueList x = {{floats({5}, {1, 2, 3, 4, 5})}};
  EXPECT_EQ(error(run("def f(x: f32[5]): a, b = aten.split.Tensor(x, 2); return a", x)),
            "ValueError: 3 values to unpack into 2 names");
  EXPECT_EQ(error(run("def f(n: int): a = n // 0; return a", {{int64_t{1}}})), "ZeroDivisionError: division by zero");
  EXPECT_EQ(error(run("def f(x: f32[5]): a = x.item(); return a", x)),
            "RuntimeError: a Tensor with 5 elements cannot be converted to Scalar");
}

TEST_F(EagerProgram, SegmentsRunByNumber) {
  const Segment segment = parse_segment(
      "segment f(x: f32[4]):\n"
      "  %1, %2 = aten.split.Tensor(%0, 2, 0) #0\n"
      "  %3 = aten.mul_.Scalar(%1, 10) #1\n"
      "  %4 = aten.cat.default([%1, %0], 0) #2\n"
      "  %5 = aten.unsqueeze_.default(%2, 0) #3\n"
      "  return y %4, z %2\n");
  const std::vector<Tensor> inputs = {floats({4}, {1, 2, 3, 4})};
  const auto values = run_segment(executor_, segment, inputs);
  ASSERT_TRUE(std::holds_alternative<std::vector<Tensor>>(values)) << to_text(std::get<EagerError>(values));
  const auto& tensors = std::get<std::vector<Tensor>>(values);
  EXPECT_EQ(elements({tensors[4]}), (Floats{10, 20, 10, 20, 3, 4}));
  EXPECT_EQ(tensors[3].storage, inputs[0].storage);
  EXPECT_EQ(tensors[2].type.sizes, (Sizes{1, 2})) << "reshaped in place after it was named";
}

// The same program gives the same random numbers in every run, and different ones in its next call.
TEST_F(EagerProgram, RandomNumbersAreReproducible) {
  const Program program = parse_program("def f(x: f32[8]): y = aten.rand_like(x); return y", "test");
  const auto two_calls = [&] {
    EagerInterpreter interpreter(program, executor_, {});
    const ValueList input = {{floats({8}, Floats(8))}};
    return std::pair(elements(interpreter.run(input).outputs.at(0).value),
                     elements(interpreter.run(input).outputs.at(0).value));
  };
  const auto first = two_calls(), again = two_calls();
  EXPECT_EQ(first, again);
  EXPECT_NE(first.first, first.second);
}

}  // namespace
}  // namespace faultline
