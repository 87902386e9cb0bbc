// Arithmetic of two elements.
#include "runtime/layers/decompose/pointwise.h"

namespace faultline {
namespace {

// factor * node, without the product when the factor is 1.
int scaled(Builder& builder, const BoundCall& call, std::string_view argument, int node) {
  if (!call.has(argument)) return node;
  const Scalar factor = call.scalar(argument);
  if (to_real(factor) == 1) return node;
  if (!is_float(builder.dtype(node)) && std::holds_alternative<double>(factor))
    call.reject("a float " + std::string(argument) + " for integers");
  return builder.apply(Function::mul, {node, builder.literal(scalar_literal(factor, builder.dtype(node)))});
}

int sum_of(Builder& builder, int a, int b) {
  const bool logical = builder.dtype(a) == DType::boolean;
  return builder.apply(logical ? Function::bitwise_or : Function::add, {a, b});
}

Lowered lower_add(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  return {pair_result(builder, sum_of(builder, pair.a, scaled(builder, call, "alpha", pair.b)), pair)};
}

Lowered lower_sub(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  if (pair.dtype == DType::boolean) call.reject("bools cannot be subtracted");
  return {pair_result(builder, builder.apply(Function::sub, {pair.a, scaled(builder, call, "alpha", pair.b)}), pair)};
}

Lowered lower_rsub(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  if (pair.dtype == DType::boolean) call.reject("bools cannot be subtracted");
  const int node = builder.apply(Function::sub, {pair.b, scaled(builder, call, "alpha", pair.a)});
  return {pointwise_result(builder, node, pair.dtype, {pair.right, pair.left})};  // eager calls sub(other, self)
}

Lowered lower_mul(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  const bool logical = pair.dtype == DType::boolean;
  return {pair_result(builder, builder.apply(logical ? Function::bitwise_and : Function::mul, {pair.a, pair.b}), pair)};
}

// The quotient without the remainder is exact, so the kind of division does not matter for integers; floats round the
// last ulp away, keep x / 0, and give a zero the sign of the quotient.
int rounded_quotient(Builder& builder, int a, int b, Function rest) {
  const int whole = builder.apply(Function::sub, {a, builder.apply(rest, {a, b})});
  const int quotient = builder.apply(Function::div, {whole, b});
  if (!is_float(builder.dtype(a))) return quotient;
  const int by_zero = builder.with(Function::equal, builder.expand(b, builder.sizes(quotient)), 0);
  const int plain = builder.apply(Function::div, {a, b});
  const int signed_zero = builder.with(Function::mul, plain, 0);
  const int rounded = builder.select(builder.with(Function::equal, quotient, 0), signed_zero,
                                     builder.apply(Function::round, {quotient}));
  return builder.select(by_zero, plain, rounded);
}

// A number over an infinity is less than 1 in size: 0, or -1 where the signs differ.
int floored_quotient(Builder& builder, int a, int b) {
  const int quotient = rounded_quotient(builder, a, b, Function::remainder);
  if (!is_float(builder.dtype(a))) return quotient;
  const Sizes sizes = builder.sizes(quotient);
  a = builder.expand(a, sizes), b = builder.expand(b, sizes);
  const int numbers = builder.logical_not(builder.apply(Function::is_infinite, {a}));
  const int endless = builder.apply(Function::bitwise_and, {builder.apply(Function::is_infinite, {b}), numbers});
  const int differ = builder.select(builder.with(Function::less, b, 0), builder.with(Function::greater, a, 0),
                                    builder.with(Function::less, a, 0));
  const int least = builder.select(differ, builder.number(-1, builder.dtype(a)), builder.apply(Function::div, {a, b}));
  return builder.select(endless, least, quotient);
}

int truncated_quotient(Builder& builder, int a, int b) {
  if (is_float(builder.dtype(a))) return builder.apply(Function::trunc, {builder.apply(Function::div, {a, b})});
  return rounded_quotient(builder, a, b, Function::fmod);
}

Lowered lower_div(Builder& builder, const BoundCall& call) {
  const Operand left = call.operand("self"), right = call.operand("other");
  const std::string mode = call.word("rounding_mode");
  DType dtype = result_type({left, right});
  if (mode.empty()) dtype = float_type(dtype);
  if (dtype == DType::boolean) call.reject("bools cannot be divided with rounding");
  const Pair pair = common_pair(builder, left, right, dtype);
  if (mode.empty()) return {pair_result(builder, builder.apply(Function::div, {pair.a, pair.b}), pair)};
  if (mode == "trunc") return {pair_result(builder, truncated_quotient(builder, pair.a, pair.b), pair)};
  if (mode == "floor") return {pair_result(builder, floored_quotient(builder, pair.a, pair.b), pair)};
  call.reject("rounding mode '" + mode + "'");
}

Lowered lower_floor_divide(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  if (pair.dtype == DType::boolean) call.reject("bools cannot be divided with rounding");
  return {pair_result(builder, floored_quotient(builder, pair.a, pair.b), pair)};
}

Lowered lower_atan2(Builder& builder, const BoundCall& call) {
  const Operand left = call.operand("self"), right = call.operand("other");
  const Pair pair = common_pair(builder, left, right, float_type(result_type({left, right})));
  return {pair_result(builder, builder.apply(Function::atan2, {pair.a, pair.b}), pair)};
}

// maximum and minimum of bools are or and and.
template <Function function, Function of_bools>
Lowered lower_extreme(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  const Function chosen = pair.dtype == DType::boolean ? of_bools : function;
  return {pair_result(builder, builder.apply(chosen, {pair.a, pair.b}), pair)};
}

// Exponents with a cheaper exact form take it, as eager does.
int power(Builder& builder, int x, double exponent) {
  const auto squared = [&] { return builder.apply(Function::mul, {x, x}); };
  const bool real = is_float(builder.dtype(x));
  if (exponent == 0) return builder.number(1, builder.dtype(x), builder.sizes(x));
  if (exponent == 1) return x;
  if (exponent == 2) return squared();
  if (exponent == 3) return builder.apply(Function::mul, {squared(), x});
  if (real && exponent == 0.5) return builder.apply(Function::sqrt, {x});
  if (real && exponent == -0.5) return builder.apply(Function::rsqrt, {x});
  if (real && exponent == -1) return builder.apply(Function::reciprocal, {x});
  if (real && exponent == -2) return builder.apply(Function::reciprocal, {squared()});
  return builder.with(Function::pow, x, exponent);
}

Lowered lower_pow(Builder& builder, const BoundCall& call) {
  const Operand base = call.operand("self"), exponent = call.operand("exponent");
  const DType dtype = result_type({base, exponent});
  if (dtype == DType::boolean) call.reject("powers of bools");
  const int x = operand_node(builder, base, dtype);
  if (!exponent.tensor) {
    const double value = to_real(exponent.scalar);
    if (!is_float(dtype) && value < 0) call.reject("integers to negative powers");
    return {pointwise_result(builder, power(builder, x, value), dtype, {base})};
  }
  const int node = builder.apply(Function::pow, {x, operand_node(builder, exponent, dtype)});
  if (!base.tensor) return {builder.fresh(node)};  // row-major, whatever the exponent's strides
  return {pointwise_result(builder, node, dtype, {base, exponent})};
}

constexpr std::string_view kAddSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.$.Tensor(x, y, alpha = 2); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[5]): z = aten.$.Tensor(x, y); return z",
    "def f(x: i32[3,1], y: f32[4]): z = aten.$.Tensor(x, y); return z",
    "def f(x: f16[7], y: f32[]): z = aten.$.Tensor(x, y); return z",
    "def f(x: i64[7]): z = aten.$.Scalar(x, 3); return z",
    "def f(x: i64[2,1,3]{stride=3,7,1}): z = aten.$.Scalar(x, 3); return z",
    "def f(x: u8[2,3]): z = aten.$.Scalar(x, 1.5); return z",
    "def f(x: bf16[2,3], y: f32[3]): z = aten.$_.Tensor(x, y); return x",
};
constexpr std::string_view kRsubSamples[] = {
    "def f(x: f32[65]): z = aten.$.Scalar(x, 2, 3); return z",
    "def f(x: f32[2,2,3]{stride=12,6,2}, y: f16[2,2,3]{stride=1,2,4}): z = aten.$.Tensor(x, y); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[5]): z = aten.$.Tensor(x, y); return z",
};
constexpr std::string_view kPairSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.$.Tensor(x, y); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[5]): z = aten.$.Tensor(x, y); return z",
    "def f(x: i32[3,1], y: i64[4]): z = aten.$.Tensor(x, y); return z; "
    "call f(x = integers(-9,9,1), y = integers(1,9,2))",
    "def f(x: f32[7]): z = aten.$.Scalar(x, 3); return z",
    "def f(x: f32[2,1,3]{stride=3,7,1}): z = aten.$.Scalar(x, 3); return z",
    "def f(x: bf16[2,3], y: f32[3]): z = aten.$_.Tensor(x, y); return x",
};
constexpr std::string_view kDivSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.$.Tensor(x, y); return z",
    "def f(x: i32[3,5], y: i32[5]): z = aten.$.Tensor(x, y); return z; call f(y = integers(1,9,2))",
    "def f(x: i32[65], y: i32[65]): z = aten.$.Tensor_mode(x, y, rounding_mode = \"floor\"); return z; "
    "call f(x = integers(-99,99,1), y = integers(1,9,2))",
    "def f(x: i64[65]): z = aten.$.Scalar_mode(x, -7, rounding_mode = \"trunc\"); return z; call f(x = "
    "integers(-99,99,1))",
    "def f(x: f32[65], y: f32[65]): z = aten.$.Tensor_mode(x, y, rounding_mode = \"trunc\"); return z",
    "def f(x: f16[3,5]): z = aten.$.Scalar_mode(x, 0.25, rounding_mode = \"floor\"); return z",
    "def f(x: f32[65]): z = aten.$.Scalar_mode(x, -1.5, rounding_mode = \"floor\"); y = aten.reciprocal(z); return y, "
    "z",
    "def f(x: f16[3,5]{stride=1,3}): z = aten.$.Scalar(x, 3); return z",
    "def f(x: f32[2,1,3]{stride=3,7,1}): z = aten.$.Scalar(x, 3); return z",
};
constexpr std::string_view kFloatPairSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.$(x, y); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[5]): z = aten.$(x, y); return z",
    "def f(x: i32[3,1], y: i64[4]): z = aten.$(x, y); return z",
};
constexpr std::string_view kPowSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.pow.Tensor_Tensor(x, y); return z; call f(x = uniform(1))",
    "def f(x: f16[3,5]{stride=1,3}): z = aten.pow.Tensor_Scalar(x, 2); return z",
    "def f(x: f32[7]): z = aten.pow.Tensor_Scalar(x, 3); return z",
    "def f(x: f32[7]): z = aten.pow.Tensor_Scalar(x, -0.5); return z; call f(x = uniform(1))",
    "def f(x: f32[7]): z = aten.pow.Tensor_Scalar(x, 2.5); return z; call f(x = uniform(1))",
    "def f(x: i64[7]): z = aten.pow.Tensor_Scalar(x, 4); return z; call f(x = integers(-9,9,1))",
    "def f(x: f32[7]): z = aten.pow.Scalar(2, x); return z",
    "def f(x: f32[2,1,3]{stride=3,7,1}): z = aten.pow.Scalar(2, x); y = aten.pow.Tensor_Scalar(x, 3); return y, z",
    "def f(x: f32[2,3]{stride=1,2}): z = aten.pow.Scalar(2, x); return z",
    "def f(x: i64[7]): z = aten.pow_.Scalar(x, 2); return x; call f(x = integers(-9,9,1))",
};
constexpr std::string_view kSubNames[] = {"subtract"};
constexpr std::string_view kMulNames[] = {"multiply"};
constexpr std::string_view kDivNames[] = {"divide", "true_divide"};
constexpr std::string_view kAtan2Names[] = {"arctan2"};

}  // namespace

constinit const OpRow op_add{
    .id = "add", .summary = "x + alpha * y; or, of bools", .lower = lower_add, .samples = kAddSamples};
constinit const OpRow op_sub{
    .id = "sub", .summary = "x - alpha * y", .synonyms = kSubNames, .lower = lower_sub, .samples = kAddSamples};
constinit const OpRow op_rsub{.id = "rsub", .summary = "y - alpha * x", .lower = lower_rsub, .samples = kRsubSamples};
constinit const OpRow op_mul{
    .id = "mul", .summary = "x * y; and, of bools", .synonyms = kMulNames, .lower = lower_mul, .samples = kPairSamples};
constinit const OpRow op_div{.id = "div",
                             .summary = "x / y, true or rounded down or toward zero",
                             .synonyms = kDivNames,
                             .lower = lower_div,
                             .samples = kDivSamples};
constinit const OpRow op_floor_divide{
    .id = "floor_divide", .summary = "x / y rounded down", .lower = lower_floor_divide, .samples = kFloatPairSamples};
constinit const OpRow op_fmod{.id = "fmod",
                              .summary = "the rest of x / y with x's sign",
                              .lower = lower_binary<Function::fmod>,
                              .samples = kPairSamples};
constinit const OpRow op_remainder{.id = "remainder",
                                   .summary = "the rest of x / y with y's sign",
                                   .lower = lower_binary<Function::remainder>,
                                   .samples = kPairSamples};
constinit const OpRow op_atan2{.id = "atan2",
                               .summary = "the angle of the point (y, x)",
                               .synonyms = kAtan2Names,
                               .lower = lower_atan2,
                               .samples = kFloatPairSamples};
constinit const OpRow op_maximum{.id = "maximum",
                                 .summary = "the larger of two, NaN if one is",
                                 .lower = lower_extreme<Function::maximum, Function::bitwise_or>,
                                 .samples = kFloatPairSamples};
constinit const OpRow op_minimum{.id = "minimum",
                                 .summary = "the smaller of two, NaN if one is",
                                 .lower = lower_extreme<Function::minimum, Function::bitwise_and>,
                                 .samples = kFloatPairSamples};
constinit const OpRow op_pow{.id = "pow", .summary = "x to the power y", .lower = lower_pow, .samples = kPowSamples};

}  // namespace faultline
