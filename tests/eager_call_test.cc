// Single calls of eager torch over this project's storages: values, types, strides, aliasing, errors. Expected numbers
// were computed with torch 2.13 in Python, or follow from the formats.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <signal.h>
#include <unistd.h>

#include "runtime/eager/eager.h"
#include "runtime/eager/trial.h"

namespace faultline {
namespace {

template <class Element>
Tensor tensor(DType dtype, Sizes sizes, std::vector<Element> elements) {
  Tensor result = make_tensor(contiguous_type(dtype, std::move(sizes)));
  EXPECT_EQ(result.storage->size(), elements.size() * sizeof(Element));
  if (!elements.empty()) std::memcpy(result.data(), elements.data(), result.storage->size());
  return result;
}
Tensor floats(Sizes sizes, std::vector<float> elements) {
  return tensor(DType::f32, std::move(sizes), std::move(elements));
}

// Elements in logical order.
template <class Element>
std::vector<Element> elements(const Tensor& tensor) {
  std::vector<Element> result;
  for (int64_t i = 0; i < element_count(tensor.type.sizes); ++i) {
    Element element;
    std::memcpy(&element, tensor.data() + storage_index(tensor.type, i) * static_cast<int64_t>(sizeof(Element)),
                sizeof(Element));
    result.push_back(element);
  }
  return result;
}
const Tensor& result_tensor(const OpResult& result, size_t index = 0) {
  EXPECT_FALSE(result.error) << to_text(*result.error);
  return std::get<Tensor>(result.outputs.at(index).value);
}
Value word(const char* text) { return {Keyword{text}}; }
Value ints(std::vector<int64_t> numbers) {
  ValueList list;
  for (const int64_t number : numbers) list.push_back({number});
  return {std::move(list)};
}

class EagerCall : public ::testing::Test {
 protected:
  void SetUp() override {
    const EagerStatus status = eager_status();
    if (!status.available) GTEST_SKIP() << status.why_not;
  }
};

TEST_F(EagerCall, CloneOf65KeepsEveryBit) {
  std::vector<uint16_t> bits(65);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(0x3c00 + 17 * i);
  const Tensor x = tensor(DType::f16, {65}, bits);
  const OpResult result = eager_call("aten.clone.default", {{x}});
  EXPECT_EQ(elements<uint16_t>(result_tensor(result)), bits);
  EXPECT_NE(result_tensor(result).storage, x.storage);
  EXPECT_EQ(result.same_as, std::vector<int>{-1});
}

TEST_F(EagerCall, DefaultsKeywordsAndConversions) {
  const Tensor x = floats({2}, {1, 2});
  EXPECT_EQ(elements<float>(result_tensor(eager_call("aten.add.Tensor", {{x}, {x}}))), (std::vector<float>{2, 4}));
  const std::vector<std::pair<std::string, Value>> keywords = {{"alpha", {int64_t{10}}}};
  EXPECT_EQ(elements<float>(result_tensor(eager_call("aten.add.Tensor", {{x}, {x}}, keywords))),
            (std::vector<float>{11, 22}));
  EXPECT_EQ(elements<float>(result_tensor(eager_call("aten.mul.Tensor", {{x}, {3.0}}))), (std::vector<float>{3, 6}));
  EXPECT_EQ(elements<float>(result_tensor(eager_call("aten.sum.dim_IntList", {{x}, {int64_t{0}}}))),
            (std::vector<float>{3}));
}

// A number is a wrapped one: it does not widen the tensor's type, where a tensor without dims of its own would not
// either, but a float number lifts an integer tensor to the default float.
TEST_F(EagerCall, NumbersForTensorsPromoteAsInPython) {
  const Tensor half = tensor<uint16_t>(DType::f16, {1}, {0x3c00});
  EXPECT_EQ(result_tensor(eager_call("aten.mul.Tensor", {{half}, {3.0}})).type.dtype, DType::f16);
  const Tensor integer = tensor<int32_t>(DType::i32, {1}, {7});
  EXPECT_EQ(result_tensor(eager_call("aten.mul.Tensor", {{integer}, {3.0}})).type.dtype, DType::f32);
  EXPECT_EQ(result_tensor(eager_call("aten.mul.Tensor", {{integer}, {int64_t{3}}})).type.dtype, DType::i32);
}

TEST_F(EagerCall, SplitGivesViewsOfTheSameStorage) {
  const Tensor x = floats({5}, {0, 1, 2, 3, 4});
  const OpResult result = eager_call("aten.split.Tensor", {{x}, {int64_t{2}}});
  const ValueList parts = flattened(result.outputs);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(std::get<ValueList>(result.outputs[0].value).size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(parts[i].tensor()->storage, x.storage);
    EXPECT_EQ(parts[i].tensor()->type.offset, static_cast<int64_t>(2 * i));
  }
  EXPECT_EQ(elements<float>(*parts[2].tensor()), std::vector<float>{4});
}

TEST_F(EagerCall, InPlaceOnAViewWritesTheBase) {
  const Tensor x = floats({4}, {1, 2, 3, 4});
  const Tensor odd = {{DType::f32, {2}, {2}, 1}, x.storage};
  const OpResult result = eager_call("aten.mul_.Tensor", {{odd}, {10.0}});
  EXPECT_EQ(elements<float>(x), (std::vector<float>{1, 20, 3, 40}));
  EXPECT_EQ(result.same_as, std::vector<int>{0});
  EXPECT_EQ(result_tensor(result).storage, x.storage);
  EXPECT_EQ(result_tensor(result).type, odd.type);
}

TEST_F(EagerCall, AliasingInputsSeeEachOther) {
  const Tensor x = floats({4}, {1, 2, 3, 4});
  const Tensor tail = {{DType::f32, {2}, {1}, 2}, x.storage};
  const Tensor head = {{DType::f32, {2}, {1}, 0}, x.storage};
  result_tensor(eager_call("aten.copy_.default", {{tail}, {head}}));
  EXPECT_EQ(elements<float>(x), (std::vector<float>{1, 2, 1, 2}));
}

TEST_F(EagerCall, OverlappingWriteIsTorchsError) {
  const Tensor x = floats({1}, {1});
  const Tensor wide = {{DType::f32, {3}, {0}, 0}, x.storage};
  const OpResult result = eager_call("aten.add_.Scalar", {{wide}, {1.0}});
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->kind, EagerError::Kind::raised);
  EXPECT_NE(result.error->text.find("unsupported operation"), std::string::npos);
}

TEST_F(EagerCall, StridesAreTorchsOwn) {
  const Tensor x = {{DType::f32, {2, 3}, {1, 2}, 0}, floats({6}, {0, 1, 2, 3, 4, 5}).storage};
  EXPECT_EQ(result_tensor(eager_call("aten.clone.default", {{x}})).type.strides, (Sizes{1, 2}))
      << "a dense layout is preserved";
  const std::vector<std::pair<std::string, Value>> keywords = {{"memory_format", word("torch.contiguous_format")}};
  const OpResult contiguous = eager_call("aten.clone.default", {{x}}, keywords);
  EXPECT_EQ(result_tensor(contiguous).type.strides, (Sizes{3, 1}));
  EXPECT_EQ(elements<float>(result_tensor(contiguous)), (std::vector<float>{0, 2, 4, 1, 3, 5}));
  const OpResult expanded = eager_call("aten.expand.default", {{floats({1}, {7})}, ints({4})});
  EXPECT_EQ(result_tensor(expanded).type, (TensorType{DType::f32, {4}, {0}, 0}));
}

TEST_F(EagerCall, BoolAndComparison) {
  const OpResult result = eager_call("aten.gt.Scalar", {{floats({3}, {1, -1, NAN})}, {int64_t{0}}});
  EXPECT_EQ(result_tensor(result).type.dtype, DType::boolean);
  EXPECT_EQ(elements<uint8_t>(result_tensor(result)), (std::vector<uint8_t>{1, 0, 0}));
}

// bf16 keeps 8 bits of significand: 1 + 2^-8 is a tie and goes to even, 1 + 3*2^-9 goes up.
TEST_F(EagerCall, CastsToSmallFloats) {
  const Tensor x = floats({3}, {1.00390625f, 1.005859375f, -2.5f});
  const auto cast = [](const Tensor& from, DType to) {
    const std::vector<std::pair<std::string, Value>> keywords = {{"dtype", {to}}};
    return eager_call("aten._to_copy.default", {{from}}, keywords);
  };
  EXPECT_EQ(elements<uint16_t>(result_tensor(cast(x, DType::bf16))), (std::vector<uint16_t>{0x3f80, 0x3f81, 0xc020}));
  const Tensor y = floats({4}, {448, 0.0625f, 17, -1.0625f});
  // e4m3fn: 448 is the greatest, 17 lies halfway between 16 and 18 and goes to even, so does -1.0625 between -1 and
  // -1.125.
  EXPECT_EQ(elements<uint8_t>(result_tensor(cast(y, DType::f8e4m3))), (std::vector<uint8_t>{0x7e, 0x18, 0x58, 0xb8}));
  // e5m2: 448 and 17 round to 448 and 16.
  EXPECT_EQ(elements<uint8_t>(result_tensor(cast(y, DType::f8e5m2))), (std::vector<uint8_t>{0x5f, 0x2c, 0x4c, 0xbc}));
  EXPECT_EQ(elements<float>(result_tensor(cast(result_tensor(cast(y, DType::f8e4m3)), DType::f32))),
            (std::vector<float>{448, 0.0625f, 16, -1}));
}

TEST_F(EagerCall, ListsOfTensorsWithHoles) {
  const Tensor x = floats({2, 2}, {0, 1, 2, 3});
  const Tensor index = tensor<int64_t>(DType::i64, {2}, {1, 0});
  const OpResult result = eager_call("aten.index.Tensor", {{x}, {ValueList{{NoneArgument{}}, {index}}}});
  EXPECT_EQ(elements<float>(result_tensor(result)), (std::vector<float>{1, 0, 3, 2}));
  const OpResult joined = eager_call("aten.cat.default", {{ValueList{{x}, {x}}}, {int64_t{1}}});
  EXPECT_EQ(elements<float>(result_tensor(joined)), (std::vector<float>{0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST_F(EagerCall, ScalarsAndSeveralResults) {
  const OpResult item = eager_call("aten.item.default", {{floats({1}, {2.5f})}});
  ASSERT_FALSE(item.error);
  EXPECT_EQ(std::get<double>(item.outputs[0].value), 2.5);
  const OpResult extreme = eager_call("aten.max.dim", {{floats({3}, {3, 9, 4})}, {int64_t{0}}});
  EXPECT_EQ(elements<float>(result_tensor(extreme, 0)), std::vector<float>{9});
  EXPECT_EQ(elements<int64_t>(result_tensor(extreme, 1)), std::vector<int64_t>{1});
}

TEST_F(EagerCall, ErrorsAreTorchsOwnInOneLine) {
  const auto error = [](const OpResult& result) { return result.error ? to_text(*result.error) : "no error"; };
  const Tensor x = floats({3}, {1, 2, 3}), y = floats({2}, {1, 2});
  EXPECT_EQ(error(eager_call("aten.add.Tensor", {{x}, {y}})),
            "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
  EXPECT_EQ(error(eager_call("aten.select.int", {{x}, {int64_t{0}}, {int64_t{7}}})),
            "IndexError: select(): index 7 out of range for tensor of size [3] at dimension 0");
  EXPECT_EQ(error(eager_call("aten.addd.Tensor", {{x}, {y}})),
            "AttributeError: unknown op aten.addd.Tensor, did you mean 'aten.add.Tensor'?");
  EXPECT_EQ(error(eager_call("aten.add.Tensor", {{x}})),
            "TypeError: aten.add.Tensor: argument 'other' (Tensor) is missing");
  EXPECT_EQ(error(EagerExecutor().call("aten.add.Tensor", {{x}, {y}})), "TypeError: takes 3 arguments, got 2");
  EXPECT_EQ(error(EagerExecutor().call("aten.add.Tensor", {{x}, {y}, word("one")})),
            "TypeError: argument 'alpha' takes Scalar, got a word");
}

TEST_F(EagerCall, ViewsBeyondTheStorageAreErrors) {
  const Tensor x = floats({4}, {1, 2, 3, 4});
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  for (const TensorType& type :
       {TensorType{DType::f32, {5}, {1}, 0}, TensorType{DType::f32, {4}, {1}, 1}, TensorType{DType::f32, {4}, {-1}, 3},
        TensorType{DType::f32, {2}, {kHuge}, 0}, TensorType{DType::f32, {kHuge, kHuge}, {0, 0}, 0},
        TensorType{DType::f32, {1}, {1}, kHuge}, TensorType{DType::f32, {1}, {1}, -1},
        TensorType{DType::f64, {4}, {1}, 0}}) {
    const OpResult result = eager_call("aten.clone.default", {{Tensor{type, x.storage}}});
    ASSERT_TRUE(result.error) << to_text(type);
    EXPECT_EQ(result.error->kind, EagerError::Kind::raised);
  }
  EXPECT_FALSE(eager_call("aten.clone.default", {{Tensor{{DType::f32, {0}, {1}, 4}, x.storage}}}).error) << "empty";
}

TEST_F(EagerCall, OperatorsThatReshapeTheirArgument) {
  const Tensor x = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  const OpResult turned = eager_call("aten.t_.default", {{x}});
  ASSERT_EQ(turned.changed.size(), 1u);
  EXPECT_EQ(turned.changed[0].first, 0);
  EXPECT_EQ(turned.changed[0].second.type, (TensorType{DType::f32, {3, 2}, {1, 3}, 0}));
  EXPECT_EQ(turned.same_as, std::vector<int>{0});

  const OpResult grown = eager_call("aten.resize_.default", {{x}, ints({8})});
  ASSERT_EQ(grown.changed.size(), 1u);
  EXPECT_EQ(grown.changed[0].second.storage, x.storage) << "the storage grew in place, as other views see";
  EXPECT_EQ(x.storage->size(), 32u);
  EXPECT_EQ(elements<float>(x), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST_F(EagerCall, DivisionThatWouldEndTheProcessIsRefused) {
  const Tensor least = tensor<int32_t>(DType::i32, {2}, {5, std::numeric_limits<int32_t>::min()});
  const Tensor divisor = tensor<int32_t>(DType::i32, {2}, {2, -1});
  const std::vector<std::pair<std::string, Value>> mode = {{"rounding_mode", word("trunc")}};
  const OpResult refused = eager_call("aten.div.Tensor_mode", {{least}, {divisor}}, mode);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->kind, EagerError::Kind::unsupported);
  const Tensor harmless = tensor<int32_t>(DType::i32, {2}, {2, 3});
  EXPECT_EQ(elements<int32_t>(result_tensor(eager_call("aten.div.Tensor_mode", {{least}, {harmless}}, mode))),
            (std::vector<int32_t>{2, std::numeric_limits<int32_t>::min() / 3}));
}

// torch 2.13 reads the first tensor of an empty list here; the call in good order passes its trial.
TEST_F(EagerCall, OperatorsKnownToCrashAreTriedInAChild) {
  const OpResult crash = EagerExecutor().call("aten._stack.default", {{ValueList{}}, {int64_t{0}}});
  ASSERT_TRUE(crash.error);
  EXPECT_EQ(crash.error->kind, EagerError::Kind::unsupported);
  EXPECT_NE(crash.error->text.find("does not survive this call in torch"), std::string::npos) << crash.error->text;
  const Tensor x = floats({2}, {1, 2});
  const OpResult good = EagerExecutor().call("aten._stack.default", {{ValueList{{x}, {x}}}, {int64_t{0}}});
  EXPECT_EQ(elements<float>(result_tensor(good)), (std::vector<float>{1, 2, 1, 2}));
}

TEST(EagerTrial, TellsHowAChildEnded) {
  EXPECT_FALSE(failed_trial([] {}, 10));
  EXPECT_EQ(failed_trial([] { raise(SIGSEGV); }, 10), "SIGSEGV");
  EXPECT_EQ(failed_trial([] { pause(); }, 1), "no end within 1 s");
  EXPECT_EQ(failed_trial([] { _exit(3); }, 10), "exit code 3");
}

// The bits of a product must not depend on where malloc put its operands.
TEST_F(EagerCall, ProductsDoNotDependOnPlacement) {
  std::vector<float> numbers(7 * 65);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<float>(i) * 1.7f);
  std::vector<std::vector<float>> answers;
  std::vector<std::unique_ptr<char[]>> padding;
  for (int trial = 0; trial < 16; ++trial) {
    padding.push_back(std::make_unique<char[]>(static_cast<size_t>(16 + 16 * trial)));
    const Tensor a = floats({7, 65}, numbers), b = floats({65, 7}, numbers);
    answers.push_back(elements<float>(result_tensor(eager_call("aten.mm.default", {{a}, {b}}))));
    EXPECT_EQ(answers.back(), answers.front());
  }
}

TEST_F(EagerCall, KnowsTorchsOperators) {
  EXPECT_TRUE(op_exists("aten.add.Tensor"));
  EXPECT_FALSE(op_exists("aten.add.Tensr"));
  EXPECT_GT(op_names().size(), 3000u);
  ASSERT_NE(eager_schema("aten.add.out"), nullptr) << "not in the table, but torch knows it";
  EXPECT_EQ(eager_schema("aten.add.out")->arguments.back().name, "out");
}

}  // namespace
}  // namespace faultline
