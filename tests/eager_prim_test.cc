// Prims in eager torch: every scalar function against the project's own definition on doubles and integers (two
// implementations that share no code), reductions and movement against results written out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/eager/eager.h"
#include "runtime/eager/eager_prim.h"
#include "runtime/numerics/scalar.h"

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
template <class Element>
std::vector<Element> elements(const Tensor& tensor) {
  std::vector<Element> result(static_cast<size_t>(element_count(tensor.type.sizes)));
  for (size_t i = 0; i < result.size(); ++i)
    std::memcpy(
        &result[i],
        tensor.data() + storage_index(tensor.type, static_cast<int64_t>(i)) * static_cast<int64_t>(sizeof(Element)),
        sizeof(Element));
  return result;
}
using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
using Bytes = std::vector<uint8_t>;

PrimNode node(Prim prim, DType dtype, Sizes sizes) {
  PrimNode result;
  result.prim = prim;
  result.dtype = dtype;
  result.sizes = std::move(sizes);
  return result;
}
PrimNode pointwise(Function function, DType dtype, Sizes sizes) {
  PrimNode result = node(Prim::pointwise, dtype, std::move(sizes));
  result.function = function;
  return result;
}

class EagerPrim : public ::testing::Test {
 protected:
  void SetUp() override {
    const EagerStatus status = eager_status();
    if (!status.available) GTEST_SKIP() << status.why_not;
  }
  Tensor run(const PrimNode& node, const std::vector<Tensor>& operands) {
    EagerPrimResult result = run_prim(executor_, node, operands);
    if (const auto* error = std::get_if<EagerError>(&result)) {
      ADD_FAILURE() << name(node.prim) << " " << name(node.function) << ": " << to_text(*error);
      return make_tensor(contiguous_type(node.dtype, node.sizes));
    }
    return std::get<Tensor>(result);
  }
  std::string error(const PrimNode& node, const std::vector<Tensor>& operands) {
    EagerPrimResult result = run_prim(executor_, node, operands);
    const auto* error = std::get_if<EagerError>(&result);
    return error ? to_text(*error) : "no error";
  }
  EagerExecutor executor_;
};

bool same_number(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

TEST_F(EagerPrim, EveryFunctionOfFloats) {
  const std::vector<double> a = {0.25, -1.5, 2.5, -0.5, 0, 3, -7.75, INFINITY, NAN, 1.25};
  const std::vector<double> b = {1.5, 2.0, -0.75, 3, 2, -3, 2.5, 2, 1, NAN};
  const auto count = static_cast<int64_t>(a.size());
  int tried = 0;
  for (int i = 0; i < function_count(); ++i) {
    const auto function = static_cast<Function>(i);
    const FunctionRow& entry = row(function);
    if (entry.kind == FunctionKind::integer || entry.kind == FunctionKind::move) continue;
    const bool compares = entry.kind == FunctionKind::compare;
    const PrimNode call = pointwise(function, compares ? DType::boolean : DType::f64, {count});
    std::vector<Tensor> operands = {tensor(DType::f64, {count}, a)};
    if (entry.arity == 2) operands.push_back(tensor(DType::f64, {count}, b));
    const Tensor result = run(call, operands);
    for (size_t k = 0; k < a.size(); ++k) {
      const double second = entry.arity == 2 ? b[k] : a[k];
      const double expected =
          compares ? scalar_compare(function, a[k], second) : scalar_function(function, a[k], second);
      const double actual = compares ? elements<uint8_t>(result)[k] : elements<double>(result)[k];
      EXPECT_TRUE(same_number(actual, expected))
          << entry.name << "(" << a[k] << ", " << second << ") is " << actual << ", expected " << expected;
    }
    ++tried;
  }
  EXPECT_EQ(tried, function_count() - 6 - 3);
}

TEST_F(EagerPrim, FunctionsOfIntegers) {
  const std::vector<int32_t> a = {7, -7, 7, -7, 0, 2147483647, 12, -1}, b = {2, 2, -2, -2, 5, 1, 3, 4};
  using enum Function;
  for (const Function function : {neg, add, sub, mul, div, maximum, minimum, abs, sign, fmod, remainder, bitwise_not,
                                  bitwise_and, bitwise_or, bitwise_xor}) {
    std::vector<Tensor> operands = {tensor(DType::i32, {8}, a)};
    if (row(function).arity == 2) operands.push_back(tensor(DType::i32, {8}, b));
    const std::vector<int32_t> result = elements<int32_t>(run(pointwise(function, DType::i32, {8}), operands));
    for (size_t k = 0; k < a.size(); ++k)
      EXPECT_EQ(result[k], integer_function(function, Format::i32, a[k], b[k])) << name(function) << " " << a[k];
  }
  const std::vector<int32_t> shifts = {0, 1, 2, 3, 4, 5, 6, 31};
  for (const Function function : {shift_left, shift_right}) {
    const std::vector<Tensor> operands = {tensor(DType::i32, {8}, a), tensor(DType::i32, {8}, shifts)};
    const std::vector<int32_t> result = elements<int32_t>(run(pointwise(function, DType::i32, {8}), operands));
    for (size_t k = 0; k < a.size(); ++k)
      EXPECT_EQ(result[k], integer_function(function, Format::i32, a[k], shifts[k])) << name(function) << " " << a[k];
  }
}

TEST_F(EagerPrim, SelectCastRefresh) {
  const Tensor chosen = tensor<uint8_t>(DType::boolean, {3}, {1, 0, 1});
  const Tensor x = floats({3}, {1, 2, 3}), y = floats({3}, {-1, NAN, -3});
  const Tensor picked = run(pointwise(Function::select, DType::f32, {3}), {chosen, x, y});
  EXPECT_EQ(elements<float>(picked)[0], 1);
  EXPECT_TRUE(std::isnan(elements<float>(picked)[1]));
  EXPECT_EQ(elements<int64_t>(run(pointwise(Function::cast, DType::i64, {2}), {floats({2}, {2.9f, -2.9f})})),
            (Ints{2, -2}));
  EXPECT_EQ(elements<float>(run(pointwise(Function::refresh, DType::f32, {3}), {x})), (Floats{1, 2, 3}));
}

// e4m3fn: 1.5 is 0x3c, 2 is 0x40, 3.5 is 0x46; 0x7f and 0xff are NaN, whose bits movement must keep.
TEST_F(EagerPrim, SmallFloatsComputeInF32AndMoveAsBytes) {
  const Tensor x = tensor<uint8_t>(DType::f8e4m3, {2}, {0x3c, 0x40});
  EXPECT_EQ(elements<uint8_t>(run(pointwise(Function::add, DType::f8e4m3, {2}),
                                  {x, tensor<uint8_t>(DType::f8e4m3, {2}, {0x40, 0x3c})})),
            (Bytes{0x46, 0x46}));
  PrimNode flip = node(Prim::flip, DType::f8e4m3, {4});
  flip.axes = {0};
  const Tensor odd = tensor<uint8_t>(DType::f8e4m3, {4}, {0x7f, 0xff, 0x80, 0x01});
  EXPECT_EQ(elements<uint8_t>(run(flip, {odd})), (Bytes{0x01, 0x80, 0xff, 0x7f}));
  PrimNode pad = node(Prim::pad, DType::f8e4m3, {4});
  pad.low = {1};
  EXPECT_EQ(elements<uint8_t>(run(pad, {x, tensor<uint8_t>(DType::f8e4m3, {}, {0xff})})),
            (Bytes{0xff, 0x3c, 0x40, 0xff}));
  const Tensor chosen = tensor<uint8_t>(DType::boolean, {2}, {0, 1});
  EXPECT_EQ(elements<uint8_t>(run(pointwise(Function::select, DType::f8e4m3, {2}),
                                  {chosen, x, tensor<uint8_t>(DType::f8e4m3, {2}, {0xff, 0})})),
            (Bytes{0xff, 0x40}));
}

TEST_F(EagerPrim, Reductions) {
  const Tensor x = floats({2, 3, 2}, {1, 5, 2, 9, 3, 7, 4, 0, 6, 8, 2, 1});
  const auto reduce = [&](Reduction reduction, DType dtype, Sizes sizes, std::vector<int64_t> axes) {
    PrimNode result = node(Prim::reduce, dtype, std::move(sizes));
    result.reduction = reduction;
    result.axes = std::move(axes);
    return run(result, {x});
  };
  EXPECT_EQ(elements<float>(reduce(Reduction::sum, DType::f32, {2}, {1, 2})), (Floats{27, 21}));
  EXPECT_EQ(elements<float>(reduce(Reduction::sum, DType::f32, {3}, {0, 2})), (Floats{10, 25, 13}));
  EXPECT_EQ(elements<float>(reduce(Reduction::prod, DType::f32, {3}, {0, 2})), (Floats{0, 864, 42}));
  EXPECT_EQ(elements<float>(reduce(Reduction::max, DType::f32, {2}, {1, 2})), (Floats{9, 8}));
  EXPECT_EQ(elements<float>(reduce(Reduction::min, DType::f32, {2}, {0, 1})), (Floats{1, 0}));
  EXPECT_EQ(elements<int64_t>(reduce(Reduction::argmax, DType::i64, {2}, {1, 2})), (Ints{3, 3}));
  EXPECT_EQ(elements<int64_t>(reduce(Reduction::argmin, DType::i64, {3}, {0, 2})), (Ints{3, 0, 3}));
  EXPECT_EQ(elements<uint8_t>(reduce(Reduction::all, DType::boolean, {2}, {1, 2})), (Bytes{1, 0}));
  EXPECT_EQ(elements<uint8_t>(reduce(Reduction::any, DType::boolean, {}, {0, 1, 2})), (Bytes{1}));
  EXPECT_EQ(elements<float>(reduce(Reduction::sum, DType::f32, {2, 3, 2}, {})), elements<float>(x)) << "no dims";
}

TEST_F(EagerPrim, ReductionsOfNothingAreNeutral) {
  const Tensor x = make_tensor(contiguous_type(DType::f32, {2, 0}));
  PrimNode reduce = node(Prim::reduce, DType::f32, {2});
  reduce.axes = {1};
  reduce.reduction = Reduction::max;
  EXPECT_EQ(elements<float>(run(reduce, {x})), (Floats{-INFINITY, -INFINITY}));
  reduce.reduction = Reduction::prod;
  EXPECT_EQ(elements<float>(run(reduce, {x})), (Floats{1, 1}));
}

TEST_F(EagerPrim, DotSpreadsABatchOfOne) {
  const Tensor a = floats({2, 1, 2}, {1, 2, 3, 4}), b = floats({1, 2, 2}, {10, 20, 30, 40});
  EXPECT_EQ(elements<float>(run(node(Prim::dot, DType::f32, {2, 1, 2}), {a, b})), (Floats{70, 100, 150, 220}));
}

TEST_F(EagerPrim, MovesElements) {
  const Tensor x = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  PrimNode move = node(Prim::permute, DType::f32, {3, 2});
  move.axes = {1, 0};
  EXPECT_EQ(elements<float>(run(move, {x})), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_TRUE(is_contiguous(run(move, {x}).type));

  move = node(Prim::broadcast, DType::f32, {3, 2, 2});
  move.axes = {2, 0};  // operand dim 0 becomes result dim 2, dim 1 becomes dim 0
  EXPECT_EQ(elements<float>(run(move, {x})), (Floats{0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5}));

  move = node(Prim::slice, DType::f32, {1, 2});
  move.low = {1, 0};
  move.step_sizes = {1, 2};
  EXPECT_EQ(elements<float>(run(move, {x})), (Floats{3, 5}));
  move.low = {1, 1};
  EXPECT_EQ(error(move, {x}), "unsupported: slice reaches outside of dim 1");

  move = node(Prim::pad, DType::f32, {3, 3});
  move.low = {1, -1};
  EXPECT_EQ(elements<float>(run(move, {x, floats({}, {9})})), (Floats{9, 9, 9, 1, 2, 9, 4, 5, 9}));

  move = node(Prim::concat, DType::f32, {2, 4});
  move.axes = {1};
  EXPECT_EQ(elements<float>(run(move, {x, floats({2, 1}, {7, 8})})), (Floats{0, 1, 2, 7, 3, 4, 5, 8}));

  move = node(Prim::gather, DType::f32, {2, 2, 2});
  move.axes = {1};
  EXPECT_EQ(elements<float>(run(move, {x, tensor<int32_t>(DType::i32, {2, 2}, {2, 0, 1, 1})})),
            (Floats{2, 0, 1, 1, 5, 3, 4, 4}));
  move = node(Prim::window, DType::f32, {2, 2, 2});
  move.axes = {1};
  move.step_sizes = {1, 1};
  EXPECT_EQ(elements<float>(run(move, {x})), (Floats{0, 1, 1, 2, 3, 4, 4, 5}));
  move.step_sizes = {1, 2};
  EXPECT_EQ(error(move, {x}), "unsupported: window reaches outside of dim 1");
  move.sizes = {2, 1, 2};
  EXPECT_EQ(elements<float>(run(move, {x})), (Floats{0, 2, 3, 5}));
  EXPECT_EQ(elements<float>(run(node(Prim::reshape, DType::f32, {3, 2}), {x})), (Floats{0, 1, 2, 3, 4, 5}));
  EXPECT_NE(error(node(Prim::reshape, DType::f32, {4, 2}), {x}), "no error");
}

TEST_F(EagerPrim, LiteralsAndIota) {
  PrimNode constant = node(Prim::literal, DType::f16, {2});
  constant.literal = real_literal(0.1, DType::f16);  // 0.1 rounds to 0x2e66
  EXPECT_EQ(elements<uint16_t>(run(constant, {})), (std::vector<uint16_t>{0x2e66, 0x2e66}));
  PrimNode iota = node(Prim::iota, DType::i64, {2, 3});
  iota.literal = integer_literal(5, DType::i64);
  iota.axes = {1};
  iota.low = {-2};
  EXPECT_EQ(elements<int64_t>(run(iota, {})), (Ints{5, 3, 1, 5, 3, 1}));
  iota = node(Prim::iota, DType::f32, {3});
  iota.literal = real_literal(0.5, DType::f32);
  iota.axes = {0};
  iota.step = 0.25;
  EXPECT_EQ(elements<float>(run(iota, {})), (Floats{0.5, 0.75, 1}));
}

TEST_F(EagerPrim, RunsAGraphAndNoticesContradictions) {
  PrimGraph graph;
  graph.nodes = {node(Prim::input, DType::f32, {2, 2}), node(Prim::permute, DType::f32, {2, 2}),
                 pointwise(Function::mul, DType::f32, {2, 2})};
  graph.nodes[1].operands = {0};
  graph.nodes[1].axes = {1, 0};
  graph.nodes[2].operands = {0, 1};
  const std::vector<Tensor> inputs = {floats({2, 2}, {1, 2, 3, 4})};
  const auto values = run_prims(executor_, graph, inputs);
  ASSERT_TRUE(std::holds_alternative<std::vector<Tensor>>(values));
  EXPECT_EQ(elements<float>(std::get<0>(values)[2]), (Floats{1, 6, 6, 16}));
  graph.nodes[2].sizes = {4};
  EXPECT_TRUE(std::holds_alternative<EagerError>(run_prims(executor_, graph, inputs)));
}

}  // namespace
}  // namespace faultline
