// Functions of one element.
#include <cmath>

#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

bool is_real(const BoundCall& call) { return is_float(call.type("self").dtype); }

// Rounding functions leave integers as they are.
template <Function function>
Lowered lower_rounding(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  if (call.given("decimals") && call.integer("decimals") != 0) call.reject("rounding to decimals");
  const int node = is_real(call) ? builder.apply(function, {x}) : x;
  return {pointwise_result(builder, node, {tensor_operand(self)})};
}

Lowered lower_abs(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  const bool plain = self.type.dtype == DType::boolean || self.type.dtype == DType::u8;
  return {pointwise_result(builder, plain ? x : builder.apply(Function::abs, {x}), {tensor_operand(self)})};
}

Lowered lower_sign(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  const int node = self.type.dtype == DType::boolean ? x : builder.apply(Function::sign, {x});
  return {pointwise_result(builder, node, {tensor_operand(self)})};
}

Lowered lower_frac(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (!is_real(call)) call.reject("fractions of integers");
  const int x = builder.read(self);
  const int node = builder.apply(Function::sub, {x, builder.apply(Function::trunc, {x})});
  return {pointwise_result(builder, node, {tensor_operand(self)})};
}

Lowered lower_square(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType dtype = self.type.dtype == DType::boolean ? DType::i64 : self.type.dtype;
  const int x = builder.cast(builder.read(self), dtype);
  return {pointwise_result(builder, builder.apply(Function::mul, {x, x}), {tensor_operand(self)})};
}

// What a pointwise call over operands of these types gives, in any dtype.
TensorType pointwise_type(const TensorType& like, std::initializer_list<TensorType> operands) {
  return {like.dtype, like.sizes, pointwise_strides(like.sizes, {operands.begin(), operands.end()}), 0};
}

Lowered lower_isnan(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int node = is_real(call) ? builder.apply(Function::is_nan, {builder.read(self)})
                                 : builder.number(0, DType::boolean, self.type.sizes);
  return {pointwise_result(builder, node, {tensor_operand(self)})};
}

// Eager compares |x| with a number; of integers it fills a tensor like self.
Lowered lower_isinf(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (!is_real(call)) return {like_result(builder, builder.number(0, DType::boolean, self.type.sizes), self)};
  const TensorType size = pointwise_type(self.type, {self.type});
  const int node = builder.apply(Function::is_infinite, {builder.read(self)});
  return {builder.fresh(node, pointwise_type(size, {size, TensorType{}}).strides)};
}

// In eager the product of x == x and |x| != inf; of integers it fills a tensor like self.
Lowered lower_isfinite(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (!is_real(call)) return {like_result(builder, builder.number(1, DType::boolean, self.type.sizes), self)};
  const int x = builder.read(self);
  const int special = builder.apply(Function::bitwise_or,
                                    {builder.apply(Function::is_nan, {x}), builder.apply(Function::is_infinite, {x})});
  const TensorType size = pointwise_type(self.type, {self.type});
  const TensorType same = pointwise_type(self.type, {self.type, self.type});
  const TensorType ends = pointwise_type(size, {size, TensorType{}});
  return {builder.fresh(builder.logical_not(special), pointwise_type(same, {same, ends}).strides)};
}

Lowered lower_bitwise_not(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  if (is_real(call)) call.reject("bits of floats");
  const int node =
      self.type.dtype == DType::boolean ? builder.logical_not(x) : builder.apply(Function::bitwise_not, {x});
  return {pointwise_result(builder, node, {tensor_operand(self)})};
}

Lowered lower_nan_to_num(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType dtype = self.type.dtype;
  int x = builder.read(self);
  if (is_float(dtype)) {
    const double largest = dtype == DType::f64   ? 1.7976931348623157e308
                           : dtype == DType::f32 ? 3.4028234663852886e38
                           : dtype == DType::f16 ? 65504
                                                 : 3.3895313892515355e38;
    if (dtype == DType::f8e4m3 || dtype == DType::f8e5m2) call.reject("dtype " + std::string(name(dtype)));
    const auto number = [&](std::string_view argument, double absent) {
      return builder.number(call.given(argument) ? call.real(argument) : absent, dtype);
    };
    const int above = builder.with(Function::equal, x, std::numeric_limits<double>::infinity());
    const int below = builder.with(Function::equal, x, -std::numeric_limits<double>::infinity());
    const int invalid = builder.apply(Function::is_nan, {x});
    x = builder.select(above, number("posinf", largest), x);
    x = builder.select(below, number("neginf", -largest), x);
    x = builder.select(invalid, number("nan", 0), x);
  }
  return {like_result(builder, x, self)};
}

constexpr std::string_view kKeepSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: i32[7]): y = aten.$(x); return y",
    "def f(x: bf16[2,3]{stride=4,1 offset=2}): y = aten.$_(x); return y",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.$(x); return y",
    "def f(x: f32[5,64,0]{stride=1,5,1}): y = aten.$(x); return y",
};
constexpr std::string_view kFloatSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y; call f(x = uniform(1))",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y; call f(x = uniform(2))",
    "def f(x: i32[7]): y = aten.$(x); return y; call f(x = integers(1,9,1))",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.$(x); return y; call f(x = uniform(1))",
    "def f(x: bf16[2,3]): y = aten.$_(x); return y; call f(x = uniform(3))",
};
constexpr std::string_view kFracSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: bf16[2,3]): y = aten.$_(x); return y",
};
constexpr std::string_view kPredicateSamples[] = {
    "def f(x: f32[65]): y = aten.log(x); z = aten.$(y); return z",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.$(x); return y",
    "def f(x: i32[2,1,3]{stride=3,7,1}): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: i32[7]): y = aten.$(x); return y",
};
constexpr std::string_view kBoolSamples[] = {
    "def f(x: bool[65]): y = aten.$(x); return y",
    "def f(x: i16[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: u8[7]): y = aten.$_(x); return y",
    "def f(x: i32[2,1,3]{stride=3,7,1}): y = aten.$(x); return y",
};
constexpr std::string_view kNegNames[] = {"negative"};
constexpr std::string_view kAbsNames[] = {"absolute"};
constexpr std::string_view kTruncNames[] = {"fix"};
constexpr std::string_view kErfNames[] = {"special_erf"};
constexpr std::string_view kExpm1Names[] = {"special_expm1"};
constexpr std::string_view kAcosNames[] = {"arccos"};
constexpr std::string_view kAsinNames[] = {"arcsin"};
constexpr std::string_view kAtanNames[] = {"arctan"};
constexpr std::string_view kAcoshNames[] = {"arccosh"};
constexpr std::string_view kAsinhNames[] = {"arcsinh"};
constexpr std::string_view kAtanhNames[] = {"arctanh"};
constexpr std::string_view kSigmoidNames[] = {"special_expit"};

}  // namespace

#define UNARY(name, text, lowering, test) \
  constinit const OpRow op_##name{.id = #name, .summary = text, .lower = lowering, .samples = test};
#define UNARY_ALSO(name, text, names, lowering, test) \
  constinit const OpRow op_##name{.id = #name, .summary = text, .synonyms = names, .lower = lowering, .samples = test};

UNARY_ALSO(neg, "-x", kNegNames, lower_unary<Function::neg>, kKeepSamples)
UNARY_ALSO(abs, "|x|", kAbsNames, lower_abs, kKeepSamples)
UNARY(sign, "-1, 0 or 1", lower_sign, kKeepSamples)
UNARY(sgn, "-1, 0 or 1", lower_sign, kKeepSamples)
UNARY(floor, "the next integer below", lower_rounding<Function::floor>, kKeepSamples)
UNARY(ceil, "the next integer above", lower_rounding<Function::ceil>, kKeepSamples)
UNARY(round, "the nearest integer, ties to even", lower_rounding<Function::round>, kKeepSamples)
UNARY_ALSO(trunc, "the integer part", kTruncNames, lower_rounding<Function::trunc>, kKeepSamples)
UNARY(frac, "x - trunc(x)", lower_frac, kFracSamples)
UNARY(square, "x * x", lower_square, kKeepSamples)
UNARY(sqrt, "the square root", lower_float_unary<Function::sqrt>, kFloatSamples)
UNARY(rsqrt, "1 / sqrt(x)", lower_float_unary<Function::rsqrt>, kFloatSamples)
UNARY(reciprocal, "1 / x", lower_float_unary<Function::reciprocal>, kFloatSamples)
UNARY(exp, "e to the x", lower_float_unary<Function::exp>, kFloatSamples)
UNARY(exp2, "2 to the x", lower_float_unary<Function::exp2>, kFloatSamples)
UNARY_ALSO(expm1, "exp(x) - 1", kExpm1Names, lower_float_unary<Function::expm1>, kFloatSamples)
UNARY(log, "the natural logarithm", lower_float_unary<Function::log>, kFloatSamples)
UNARY(log2, "the logarithm to base 2", lower_float_unary<Function::log2>, kFloatSamples)
UNARY(log10, "the logarithm to base 10", lower_float_unary<Function::log10>, kFloatSamples)
UNARY(log1p, "log(1 + x)", lower_float_unary<Function::log1p>, kFloatSamples)
UNARY(sin, "the sine", lower_float_unary<Function::sin>, kFloatSamples)
UNARY(cos, "the cosine", lower_float_unary<Function::cos>, kFloatSamples)
UNARY(tan, "the tangent", lower_float_unary<Function::tan>, kFloatSamples)
UNARY_ALSO(asin, "the inverse sine", kAsinNames, lower_float_unary<Function::asin>, kFloatSamples)
UNARY_ALSO(acos, "the inverse cosine", kAcosNames, lower_float_unary<Function::acos>, kFloatSamples)
UNARY_ALSO(atan, "the inverse tangent", kAtanNames, lower_float_unary<Function::atan>, kFloatSamples)
UNARY(sinh, "the hyperbolic sine", lower_float_unary<Function::sinh>, kFloatSamples)
UNARY(cosh, "the hyperbolic cosine", lower_float_unary<Function::cosh>, kFloatSamples)
UNARY(tanh, "the hyperbolic tangent", lower_float_unary<Function::tanh>, kFloatSamples)
UNARY_ALSO(asinh, "the inverse hyperbolic sine", kAsinhNames, lower_float_unary<Function::asinh>, kFloatSamples)
UNARY_ALSO(acosh, "the inverse hyperbolic cosine", kAcoshNames, lower_float_unary<Function::acosh>, kFloatSamples)
UNARY_ALSO(atanh, "the inverse hyperbolic tangent", kAtanhNames, lower_float_unary<Function::atanh>, kFloatSamples)
UNARY_ALSO(erf, "the error function", kErfNames, lower_float_unary<Function::erf>, kFloatSamples)
UNARY(erfc, "1 - erf(x)", lower_float_unary<Function::erfc>, kFloatSamples)
UNARY(lgamma, "the logarithm of the gamma function", lower_float_unary<Function::lgamma>, kFloatSamples)
UNARY_ALSO(sigmoid, "1 / (1 + exp(-x))", kSigmoidNames, lower_float_formula<sigmoid>, kFloatSamples)
UNARY(isnan, "is it NaN", lower_isnan, kPredicateSamples)
UNARY(isinf, "is it infinite", lower_isinf, kPredicateSamples)
UNARY(isfinite, "is it a number and finite", lower_isfinite, kPredicateSamples)
UNARY(nan_to_num, "NaN and infinities replaced", lower_nan_to_num, kKeepSamples)
UNARY(bitwise_not, "every bit flipped", lower_bitwise_not, kBoolSamples)
UNARY(logical_not, "is it zero", lower_unary<Function::logical_not>, kBoolSamples)

#undef UNARY
#undef UNARY_ALSO

}  // namespace faultline
