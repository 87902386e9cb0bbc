// Activation functions, by the formulas that eager evaluates.
#include <cmath>
#include <numbers>

#include "runtime/layers/decompose/pointwise.h"

namespace faultline {
namespace {

// The function's one float operand. Eager raises for integers.
int float_self(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (!is_float(self.type.dtype)) call.reject("dtype " + std::string(name(self.type.dtype)));
  return builder.read(self);
}

Lowered self_result(Builder& builder, const BoundCall& call, int node) {
  return {pointwise_result(builder, node, {tensor_operand(call.tensor("self"))})};
}

int clipped(Builder& builder, int x, double low, double high) {
  return builder.with(Function::minimum, builder.with(Function::maximum, x, low), high);
}

Lowered lower_relu(Builder& builder, const BoundCall& call) {
  const int x = builder.read(call.tensor("self"));
  if (builder.dtype(x) == DType::boolean) call.reject("dtype bool");
  return self_result(builder, call, builder.with(Function::maximum, x, 0));
}

Lowered lower_relu6(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  return {like_result(builder, clipped(builder, builder.read(self), 0, 6), self)};
}

Lowered lower_hardtanh(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  return {like_result(builder, clipped(builder, x, call.real("min_val"), call.real("max_val")), self)};
}

Lowered lower_silu(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  return self_result(builder, call, builder.apply(Function::mul, {x, sigmoid(builder, x)}));
}

Lowered lower_mish(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  const int gate = builder.apply(Function::tanh, {soft_plus(builder, x)});
  return self_result(builder, call, builder.apply(Function::mul, {x, gate}));
}

// x/2 * (1 + erf(x / sqrt 2)), or its approximation by tanh.
Lowered lower_gelu(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  int gate = 0;
  if (call.word("approximate", "none") == "tanh") {
    const int cube = builder.apply(Function::mul, {builder.apply(Function::mul, {x, x}), x});
    const int inner = builder.apply(Function::add, {x, builder.with(Function::mul, cube, 0.044715)});
    const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
    gate = builder.apply(Function::tanh, {builder.with(Function::mul, inner, scale)});
  } else {
    gate = builder.apply(Function::erf, {builder.with(Function::mul, x, 1 / std::numbers::sqrt2)});
  }
  const int half = builder.with(Function::mul, x, 0.5);
  return self_result(builder, call, builder.apply(Function::mul, {half, builder.with(Function::add, gate, 1)}));
}

Lowered lower_leaky_relu(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  const int below = builder.with(Function::mul, x, call.real("negative_slope"));
  return self_result(builder, call, builder.select(builder.with(Function::greater, x, 0), x, below));
}

// x > 0: x * scale; else alpha * scale * (exp(x * input_scale) - 1). The exponent is kept below 0 where it is not
// chosen.
int elu(Builder& builder, int x, double alpha, double scale, double input_scale) {
  const int low = builder.with(Function::minimum, x, 0);
  const int exponent = input_scale == 1 ? low : builder.with(Function::mul, low, input_scale);
  const int below = builder.with(Function::mul, builder.apply(Function::expm1, {exponent}), alpha * scale);
  const int above = scale == 1 ? x : builder.with(Function::mul, x, scale);
  return builder.select(builder.with(Function::less_equal, x, 0), below, above);
}

Lowered lower_elu(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  return self_result(builder, call, elu(builder, x, call.real("alpha"), call.real("scale"), call.real("input_scale")));
}

Lowered lower_selu(Builder& builder, const BoundCall& call) {
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return self_result(builder, call, elu(builder, float_self(builder, call), alpha, scale, 1));
}

Lowered lower_celu(Builder& builder, const BoundCall& call) {
  const double alpha = call.real("alpha");
  if (alpha == 0) call.reject("alpha is 0");
  return self_result(builder, call, elu(builder, float_self(builder, call), alpha, 1, 1 / alpha));
}

int hard_gate(Builder& builder, int x) { return clipped(builder, builder.with(Function::add, x, 3), 0, 6); }

Lowered lower_hardsigmoid(Builder& builder, const BoundCall& call) {
  const int gate = hard_gate(builder, float_self(builder, call));
  return self_result(builder, call, builder.with(Function::div, gate, 6));
}

Lowered lower_hardswish(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  const int product = builder.apply(Function::mul, {x, hard_gate(builder, x)});
  return self_result(builder, call, builder.with(Function::div, product, 6));
}

Lowered lower_softplus(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  const double beta = call.real("beta");
  const int scaled = beta == 1 ? x : builder.with(Function::mul, x, beta);
  const int soft = soft_plus(builder, scaled);
  const int curve = beta == 1 ? soft : builder.with(Function::div, soft, beta);
  const int straight = builder.with(Function::greater, scaled, call.real("threshold"));
  return self_result(builder, call, builder.select(straight, x, curve));
}

// The result is row-major, whatever the operand's strides.
Lowered lower_log_sigmoid(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  const int soft = soft_plus(builder, builder.apply(Function::neg, {x}));
  return {builder.fresh(builder.apply(Function::neg, {soft}))};
}

Lowered lower_threshold(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  const int below = builder.apply(Function::less_equal,
                                  {x, builder.literal(scalar_literal(call.scalar("threshold"), self.type.dtype))});
  const int value = builder.literal(scalar_literal(call.scalar("value"), self.type.dtype));
  return self_result(builder, call, builder.select(below, value, x));
}

Lowered lower_hardshrink(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  const double edge = call.real("lambd");
  const int inside = builder.apply(Function::bitwise_and, {builder.with(Function::greater_equal, x, -edge),
                                                           builder.with(Function::less_equal, x, edge)});
  return self_result(builder, call, builder.select(inside, builder.number(0, builder.dtype(x)), x));
}

// Half of the dim gates the other half.
Lowered lower_glu(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = float_self(builder, call);
  const int dim = call.dim("dim", builder.rank(x));
  if (builder.rank(x) == 0 || builder.size(x, dim) % 2 != 0) call.reject("an odd dim cannot be halved");
  const int64_t half = builder.size(x, dim) / 2;
  const int gate = sigmoid(builder, builder.slice(x, dim, half, half));
  const int node = builder.apply(Function::mul, {builder.slice(x, dim, 0, half), gate});
  TensorValue narrow = self;
  narrow.type.sizes[dim] = half;
  return {pointwise_result(builder, node, {tensor_operand(narrow)})};
}

// The weight has one element, or one a channel (dim 1).
Lowered lower_prelu(Builder& builder, const BoundCall& call) {
  const int x = float_self(builder, call);
  int weight = builder.read(call.tensor("weight"));
  if (builder.rank(weight) == 1 && builder.rank(x) != 1) {
    Sizes shape(std::max(builder.rank(x), 1), 1);
    if (shape.size() > 1) shape[1] = builder.size(weight, 0);
    weight = builder.reshape(weight, builder.rank(x) == 0 ? Sizes{} : shape);
  }
  const int below = builder.apply(Function::mul, {weight, x});
  const int node = builder.select(builder.with(Function::greater, x, 0), x, below);
  return {like_result(builder, node, call.tensor("self"))};
}

constexpr std::string_view kSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: bf16[7]): y = aten.$(x); return y",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.$(x); return y",
};
constexpr std::string_view kReluSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$_(x); return y",
    "def f(x: i32[7]): y = aten.$(x); return y; call f(x = integers(-9,9,1))",
};
constexpr std::string_view kGeluSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f32[65]): y = aten.$(x, approximate = \"tanh\"); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y",
};
constexpr std::string_view kEluSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, 2.0); return y",
    "def f(x: f32[7]): y = aten.$_(x); return y",
};
constexpr std::string_view kHardtanhSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, -0.5, 0.25); return y",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.$(x); return y",
};
constexpr std::string_view kSoftplusSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, 2, 1.0); return y",
};
constexpr std::string_view kThresholdSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, 0.25, -3.0); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$_(x, 0.0, 0.0); return y",
};
constexpr std::string_view kGluSamples[] = {
    "def f(x: f32[66]): y = aten.$(x); return y",
    "def f(x: f16[3,4,5]{stride=1,15,3}): y = aten.$(x, 1); return y",
};
constexpr std::string_view kPreluSamples[] = {
    "def f(x: f32[3,5,7], w: f32[5]): y = aten.prelu(x, w); return y",
    "def f(x: f16[65], w: f16[1]): y = aten.prelu(x, w); return y",
    "def f(x: f16[2,1,3]{stride=3,7,1}, w: f16[1]): y = aten.prelu(x, w); return y",
    "def f(x: f32[3,5], w: f32[1,5]): y = aten._prelu_kernel(x, w); return y",
};
constexpr std::string_view kPreluNames[] = {"_prelu_kernel"};

}  // namespace

#define ACTIVATION(name, text, lowering, test) \
  constinit const OpRow op_##name{.id = #name, .summary = text, .lower = lowering, .samples = test};

ACTIVATION(relu, "max(x, 0)", lower_relu, kReluSamples)
ACTIVATION(relu6, "x between 0 and 6", lower_relu6, kReluSamples)
ACTIVATION(hardtanh, "x between two numbers", lower_hardtanh, kHardtanhSamples)
ACTIVATION(silu, "x * sigmoid(x)", lower_silu, kSamples)
ACTIVATION(mish, "x * tanh(log(1 + exp(x)))", lower_mish, kSamples)
ACTIVATION(gelu, "x times the normal distribution at x", lower_gelu, kGeluSamples)
ACTIVATION(leaky_relu, "x, or slope * x below 0", lower_leaky_relu, kSamples)
ACTIVATION(elu, "x, or exp(x) - 1 below 0, scaled", lower_elu, kEluSamples)
ACTIVATION(selu, "elu with its two constants", lower_selu, kSamples)
ACTIVATION(celu, "elu that is smooth for every alpha", lower_celu, kEluSamples)
ACTIVATION(hardsigmoid, "(x + 3) / 6 between 0 and 1", lower_hardsigmoid, kSamples)
ACTIVATION(hardswish, "x * hardsigmoid(x)", lower_hardswish, kSamples)
ACTIVATION(softplus, "log(1 + exp(beta x)) / beta, straight above a threshold", lower_softplus, kSoftplusSamples)
ACTIVATION(log_sigmoid, "log(sigmoid(x))", lower_log_sigmoid, kSamples)
ACTIVATION(threshold, "x, or a value where x is not above the threshold", lower_threshold, kThresholdSamples)
ACTIVATION(hardshrink, "x, or 0 near 0", lower_hardshrink, kSamples)
ACTIVATION(glu, "one half of a dim gated by the other", lower_glu, kGluSamples)

#undef ACTIVATION

constinit const OpRow op_prelu{.id = "prelu",
                               .summary = "x, or weight * x below 0",
                               .synonyms = kPreluNames,
                               .lower = lower_prelu,
                               .samples = kPreluSamples};

}  // namespace faultline
