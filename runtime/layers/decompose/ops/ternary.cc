// Choices and sums of three elements.
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

// Both bounds at once: min(max(x, low), high), so that high wins where they cross and NaN stays.
Lowered lower_clamp(Builder& builder, const BoundCall& call) {
  const Operand self = call.operand("self");
  const std::optional<Operand> low = call.has("min") ? call.optional_operand("min") : std::nullopt;
  const std::optional<Operand> high = call.has("max") ? call.optional_operand("max") : std::nullopt;
  std::vector<Operand> operands = {self};
  if (low) operands.push_back(*low);
  if (high) operands.push_back(*high);
  if (operands.size() == 1) call.reject("neither min nor max is given");
  const DType dtype = result_type(operands);
  int x = operand_node(builder, self, dtype);
  if (low) x = builder.apply(Function::maximum, {x, operand_node(builder, *low, dtype)});
  if (high) x = builder.apply(Function::minimum, {x, operand_node(builder, *high, dtype)});
  const auto shaping = [&](const std::optional<Operand>& bound) { return bound && bound->tensor ? *bound : self; };
  return {pointwise_result(builder, x, dtype, {self, shaping(low), shaping(high)})};
}

Lowered lower_where(Builder& builder, const BoundCall& call) {
  const TensorValue& condition = call.tensor("condition");
  if (!call.has("self")) call.reject("the number of results depends on the data");
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  const int node = builder.select(builder.cast(builder.read(condition), DType::boolean), pair.a, pair.b);
  const auto type = [&](const Operand& side) {
    return side.tensor ? cast_type(side.tensor->type, pair.dtype) : TensorType{};
  };
  const TensorType operands[] = {cast_type(condition.type, DType::boolean), type(pair.left), type(pair.right)};
  return {builder.fresh(node, pointwise_strides(builder.sizes(node), operands))};
}

// Keeps self's dtype, and gives a row-major copy.
Lowered lower_masked_fill(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (call.type("mask").dtype != DType::boolean) call.reject("a mask that is not bool");
  const int value = operand_node(builder, call.operand("value"), self.type.dtype);
  return {builder.fresh(builder.select(builder.read(call.tensor("mask")), value, builder.read(self)))};
}

// start + weight * (end - start), from the nearer end as eager does.
Lowered lower_lerp(Builder& builder, const BoundCall& call) {
  const Operand start = call.operand("self"), end = call.operand("end"), weight = call.operand("weight");
  const DType dtype = start.tensor->type.dtype;
  if (!is_float(dtype) || end.tensor->type.dtype != dtype) call.reject("dtypes that differ or are no floats");
  const int a = operand_node(builder, start, dtype), b = operand_node(builder, end, dtype);
  const int w = operand_node(builder, weight, dtype);
  const int span = builder.apply(Function::sub, {b, a});
  const auto from_start = [&] { return builder.apply(Function::add, {a, builder.apply(Function::mul, {w, span})}); };
  const auto from_end = [&] {
    const int rest = builder.apply(Function::sub, {builder.number(1, dtype), w});
    return builder.apply(Function::sub, {b, builder.apply(Function::mul, {span, rest})});
  };
  int node = 0;
  if (weight.tensor) {
    const int near = builder.with(Function::less, builder.apply(Function::abs, {w}), 0.5);
    node = builder.select(near, from_start(), from_end());
  } else {
    node = std::abs(to_real(weight.scalar)) < 0.5 ? from_start() : from_end();
  }
  return {pointwise_result(builder, node, dtype, {start, end, weight.tensor ? weight : start})};
}

template <Function function>
Lowered lower_addc(Builder& builder, const BoundCall& call) {
  const Operand self = call.operand("self"), first = call.operand("tensor1"), second = call.operand("tensor2");
  const DType dtype = result_type({self, first, second});
  if (function == Function::div && !is_float(dtype)) call.reject("integers cannot be divided here");
  const int a = operand_node(builder, first, dtype), b = operand_node(builder, second, dtype);
  const Scalar factor = call.scalar("value");
  int term = a;
  if (to_real(factor) != 1) term = builder.apply(Function::mul, {builder.literal(scalar_literal(factor, dtype)), a});
  term = builder.apply(function, {term, b});
  const int node = builder.apply(Function::add, {operand_node(builder, self, dtype), term});
  return {pointwise_result(builder, node, dtype, {self, first, second})};
}

Lowered lower_dropout(Builder& builder, const BoundCall& call) {
  const TensorValue& input = call.tensor("input");
  const bool trained = !call.given("train") || call.boolean("train");
  if (trained && call.real("p") != 0) call.reject("draws random numbers");
  if (call.result_count() == 1) return {input};
  const Sizes strides = preserved_strides(input.type);
  const int mask = builder.number(1, DType::boolean, input.type.sizes);
  return {builder.fresh(builder.read(input), strides), builder.fresh(mask, strides)};
}

constexpr std::string_view kClampSamples[] = {
    "def f(x: f32[65]): y = aten.clamp(x, -0.5, 0.5); return y",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.clamp(x, -0.5, 0.5); return y",
    "def f(x: f16[3,5]{stride=1,3}, l: f16[5]): y = aten.clamp.Tensor(x, l); return y",
    "def f(x: i32[7]): y = aten.clamp(x, max = 2); return y",
    "def f(x: i32[7]): y = aten.clamp(x, 1.5); return y",
    "def f(x: f32[7], h: f32[7]): y = aten.clamp_.Tensor(x, max = h); return x",
    "def f(x: f32[7]): y = aten.clip(x, 1.0, -1.0); return y",
};
constexpr std::string_view kClampMinSamples[] = {
    "def f(x: f32[65]): y = aten.clamp_min(x, -0.5); return y",
    "def f(x: f16[3,5]{stride=1,3}, l: f16[5]): y = aten.clamp_min.Tensor(x, l); return y",
};
constexpr std::string_view kClampMaxSamples[] = {
    "def f(x: f32[65]): y = aten.clamp_max(x, -0.5); return y",
    "def f(x: f16[3,5]{stride=1,3}, l: f16[5]): y = aten.clamp_max.Tensor(x, l); return y",
};
constexpr std::string_view kWhereSamples[] = {
    "def f(c: bool[65], x: f32[65], y: f32[65]): z = aten.where.self(c, x, y); return z",
    "def f(c: bool[3,1], x: f16[3,5]{stride=1,3}, y: f32[5]): z = aten.where.self(c, x, y); return z",
    "def f(c: bool[7], x: i32[7]): z = aten.where.ScalarOther(c, x, 2); return z",
    "def f(c: bool[7]): z = aten.where.Scalar(c, 1.0, 0.0); return z",
    "def f(c: bool[2,1,3]{stride=3,7,1}, x: f32[2,1,3]{stride=3,7,1}): y = aten.where.ScalarOther(c, x, 2); "
    "z = aten.where.self(c, x, x); return y, z",
};
constexpr std::string_view kMaskedFillSamples[] = {
    "def f(x: f32[65], m: bool[65]): y = aten.masked_fill.Scalar(x, m, -2.0); return y",
    "def f(x: f16[3,5]{stride=1,3}, m: bool[5]): y = aten.masked_fill.Scalar(x, m, 1); return y",
    "def f(x: f16[5], m: bool[3,5], v: f32[]): y = aten.masked_fill.Tensor(x, m, v); return y",
    "def f(x: i64[3,5]{stride=1,3}, m: bool[5]): y = aten.masked_fill_.Scalar(x, m, 1); return y",
};
constexpr std::string_view kLerpSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.lerp.Scalar(x, y, 0.25); return z",
    "def f(x: f32[2,1,3]{stride=3,7,1}): z = aten.lerp.Scalar(x, x, 0.25); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[5]): z = aten.lerp.Scalar(x, y, 0.75); return z",
    "def f(x: f32[7], y: f32[7], w: f32[7]): z = aten.lerp_.Tensor(x, y, w); return z",
};
constexpr std::string_view kAddcSamples[] = {
    "def f(x: f32[65], y: f32[65], z: f32[65]): w = aten.$(x, y, z, value = 0.5); return w",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[5], z: f16[3,1]): w = aten.$(x, y, z); return w",
    "def f(x: f32[7], y: f32[7], z: f32[7]): w = aten.$_(x, y, z); return x",
};
constexpr std::string_view kDropoutSamples[] = {
    "def f(x: f32[65]): y = aten.dropout(x, 0.5, False); return y",
    "def f(x: f16[3,5]{stride=1,3}): y, m = aten.native_dropout(x, 0.5, False); return y, m",
    "def f(x: f32[65]): y = aten.dropout(x, 0.0, True); return y",
};
constexpr std::string_view kClampNames[] = {"clip"};
constexpr std::string_view kDropoutNames[] = {"native_dropout"};

}  // namespace

constinit const OpRow op_clamp{.id = "clamp",
                               .summary = "x between two bounds",
                               .synonyms = kClampNames,
                               .lower = lower_clamp,
                               .samples = kClampSamples};
constinit const OpRow op_clamp_min{
    .id = "clamp_min", .summary = "x, not below a bound", .lower = lower_clamp, .samples = kClampMinSamples};
constinit const OpRow op_clamp_max{
    .id = "clamp_max", .summary = "x, not above a bound", .lower = lower_clamp, .samples = kClampMaxSamples};
constinit const OpRow op_where{
    .id = "where", .summary = "one of two, as a bool says", .lower = lower_where, .samples = kWhereSamples};
constinit const OpRow op_masked_fill{.id = "masked_fill",
                                     .summary = "a number where a mask is set",
                                     .lower = lower_masked_fill,
                                     .samples = kMaskedFillSamples};
constinit const OpRow op_lerp{
    .id = "lerp", .summary = "a point between two", .lower = lower_lerp, .samples = kLerpSamples};
constinit const OpRow op_addcmul{
    .id = "addcmul", .summary = "x + value * a * b", .lower = lower_addc<Function::mul>, .samples = kAddcSamples};
constinit const OpRow op_addcdiv{
    .id = "addcdiv", .summary = "x + value * a / b", .lower = lower_addc<Function::div>, .samples = kAddcSamples};
constinit const OpRow op_dropout{.id = "dropout",
                                 .summary = "nothing, outside training",
                                 .synonyms = kDropoutNames,
                                 .lower = lower_dropout,
                                 .samples = kDropoutSamples};

}  // namespace faultline
