// What flows back through a layer norm, by eager's formula: with g the gradient times the weight and N the number of
// normalised elements, dx = g * rstd + x * b + c, where b = (mean * sum(g) - sum(g * x)) * rstd^3 / N and
// c = -b * mean - sum(g) * rstd / N.
#include <algorithm>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

struct Axes {
  std::vector<int64_t> outer, inner;
  int64_t count = 1;  // of normalised elements
};

Axes axes_of(const BoundCall& call, const TensorType& type) {
  const std::vector<int64_t> shape = call.integers("normalized_shape");
  const size_t rank = type.sizes.size();
  if (shape.empty() || shape.size() > rank || !std::equal(shape.rbegin(), shape.rend(), type.sizes.rbegin()))
    call.reject("the normalised shape is not that of the last dims");
  Axes axes;
  for (size_t d = 0; d < rank; ++d)
    (d < rank - shape.size() ? axes.outer : axes.inner).push_back(static_cast<int64_t>(d));
  axes.count = element_count(shape);
  return axes;
}

int product(Builder& builder, int a, int b) { return builder.apply(Function::mul, {a, b}); }

int input_gradient(Builder& builder, int x, int g, int mean, int scale, const Axes& axes) {
  const auto total = [&](int node) { return builder.reduce(Reduction::sum, node, axes.inner, true); };
  const int sum = total(g), moment = total(product(builder, g, x));
  const auto share = [&](int node) { return builder.with(Function::div, node, static_cast<double>(axes.count)); };
  const int cube = product(builder, product(builder, scale, scale), scale);
  const int difference = builder.apply(Function::sub, {product(builder, mean, sum), moment});
  const int b = share(product(builder, difference, cube));
  const int c = builder.apply(
      Function::neg, {builder.apply(Function::add, {product(builder, b, mean), share(product(builder, sum, scale))})});
  const int first = builder.apply(Function::add, {product(builder, g, scale), product(builder, x, b)});
  return builder.apply(Function::add, {first, c});
}

Lowered lower_native_layer_norm_backward(Builder& builder, const BoundCall& call) {
  const TensorValue &gradient = call.tensor("grad_out"), &input = call.tensor("input");
  const DType dtype = input.type.dtype;
  if (!is_float(dtype)) call.reject("the norm of integers");
  for (const char* argument : {"grad_out", "mean", "rstd"})
    if (call.type(argument).dtype != dtype) call.reject("operands of two dtypes");
  if (!call.given("weight") || !call.given("bias")) call.reject("gradients of what is not given");
  if (call.type("weight").dtype != dtype || call.type("bias").dtype != dtype) call.reject("operands of two dtypes");
  if (call.booleans("output_mask") != std::vector<bool>(3, true)) call.reject("a result that is nothing");
  const Axes axes = axes_of(call, input.type);
  const int x = builder.read(input), dy = builder.read(gradient);
  const int mean = builder.read(call.tensor("mean")), scale = builder.read(call.tensor("rstd"));
  const int g = product(builder, dy, builder.read(call.tensor("weight")));
  const int normal = product(builder, builder.apply(Function::sub, {x, mean}), scale);
  const int by_weight = builder.reduce(Reduction::sum, product(builder, dy, normal), axes.outer, false);
  return {builder.fresh(input_gradient(builder, x, g, mean, scale, axes)), builder.fresh(by_weight),
          builder.fresh(builder.reduce(Reduction::sum, dy, axes.outer, false))};
}

constexpr std::string_view kSamples[] = {
    "def f(x: f32[9,33], d: f32[9,33], w: f32[33], b: f32[33]): y, m, r = aten.native_layer_norm(x, [33], w, b, 0.01); "
    "p, q, s = aten.native_layer_norm_backward(d, x, [33], m, r, w, b, [True, True, True]); return p, q, s",
    "def f(x: f16[4,3,5], d: f16[4,3,5], m: f16[4,1,1], r: f16[4,1,1], w: f16[3,5], b: f16[3,5]): "
    "p, q, s = aten.native_layer_norm_backward(d, x, [3, 5], m, r, w, b, [True, True, True]); return p, q, s; "
    "call f(r = uniform())",
    "def f(x: bf16[4,7], d: bf16[4,7], m: bf16[4,1], r: bf16[4,1], w: bf16[7], b: bf16[7]): "
    "p, q, s = aten.native_layer_norm_backward(d, x, [7], m, r, w, b, [True, True, True]); return p, q, s; "
    "call f(r = uniform())",
};

}  // namespace

constinit const OpRow op_native_layer_norm_backward{.id = "native_layer_norm_backward",
                                                    .summary = "what flows back through a layer norm",
                                                    .family = OpFamily::normalisation,
                                                    .lower = lower_native_layer_norm_backward,
                                                    .own_type_sums = true,
                                                    .samples = kSamples};

}  // namespace faultline
