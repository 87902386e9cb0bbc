// Group and batch normalisation, forward and backward, in two passes over the normalised dims.
#include <algorithm>

#include "runtime/layers/decompose/normalisation.h"
#include "runtime/layers/decompose/reduction.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

Lowered group_norm(Builder& builder, const BoundCall& call, int64_t groups) {
  const TensorValue& input = call.tensor("input");
  const DType dtype = working_type(call, input.type);
  const int x = builder.cast(builder.read(input), dtype);
  if (builder.rank(x) < 2 || groups <= 0 || builder.size(x, 1) % groups != 0)
    call.reject("the groups do not divide dim 1");
  const int64_t batch = builder.size(x, 0),
                rest = element_count(input.type.sizes) / std::max<int64_t>(batch * groups, 1);
  const int grouped = builder.reshape(x, {batch, groups, rest});
  const Moments moments = moments_of(builder, grouped, {2}, 0, true);
  const int scale = inverse_deviation(builder, moments.variance, call.real("eps"));
  int normal = builder.apply(Function::mul, {builder.apply(Function::sub, {grouped, moments.mean}), scale});
  normal = builder.reshape(normal, input.type.sizes);
  const int node =
      scaled_and_shifted(builder, normal, by_channel(builder, read_optional(builder, call, "weight", dtype), x),
                         by_channel(builder, read_optional(builder, call, "bias", dtype), x));
  const Sizes statistics = {batch, groups};
  return {builder.fresh(builder.cast(node, input.type.dtype), suggested_strides(input.type, input.type.sizes)),
          builder.fresh(builder.reshape(moments.mean, statistics)), builder.fresh(builder.reshape(scale, statistics))};
}

Lowered lower_group_norm(Builder& builder, const BoundCall& call) {
  return group_norm(builder, call, call.integer(call.has("group") ? "group" : "num_groups"));
}

// Every channel of every sample by itself: as many groups as channels. Its result is row-major.
Lowered lower_instance_norm(Builder& builder, const BoundCall& call) {
  if (!call.boolean("use_input_stats")) call.reject("normalises by running statistics");
  if (call.given("running_mean") || call.given("running_var")) call.reject("updates running statistics");
  const TensorValue& input = call.tensor("input");
  if (rank_of(input) < 2 || element_count(input.type.sizes) == 0) call.reject("an input without channels or elements");
  const TensorValue normal = group_norm(builder, call, input.type.sizes[1]).front();
  return {builder.fresh(builder.read(normal))};
}

Sizes batch_norm_strides(const TensorType& input) {
  if (is_contiguous(input)) return contiguous_strides(input.sizes);
  return is_channels_last(input) ? channels_last_strides(input.sizes) : suggested_strides(input, input.sizes);
}

// Outside training: x * alpha + beta, with alpha = weight / sqrt(variance + eps) and beta = bias - mean * alpha.
Lowered lower_known_batch_norm(Builder& builder, const BoundCall& call) {
  const TensorValue& input = call.tensor("input");
  DType dtype = working_type(call, input.type);
  if (call.given("running_mean")) dtype = promote(dtype, call.type("running_mean").dtype);
  const int x = builder.cast(builder.read(input), dtype);
  if (builder.rank(x) < 2) call.reject("an input without channels");
  const auto mean = read_optional(builder, call, "running_mean", dtype);
  const auto variance = read_optional(builder, call, "running_var", dtype);
  if (!mean || !variance) call.reject("no running statistics");
  int alpha = inverse_deviation(builder, *variance, call.real("eps"));
  if (const auto weight = read_optional(builder, call, "weight", dtype))
    alpha = builder.apply(Function::mul, {alpha, *weight});
  int beta = builder.apply(Function::neg, {builder.apply(Function::mul, {*mean, alpha})});
  if (const auto bias = read_optional(builder, call, "bias", dtype)) beta = builder.apply(Function::add, {*bias, beta});
  const int node = scaled_and_shifted(builder, x, by_channel(builder, alpha, x), by_channel(builder, beta, x));
  const TensorValue result = builder.fresh(builder.cast(node, input.type.dtype), batch_norm_strides(input.type));
  const int nothing = builder.number(0, dtype, {0});
  return {result, builder.fresh(nothing), builder.fresh(nothing)};
}

Lowered lower_batch_norm(Builder& builder, const BoundCall& call) {
  if (call.has("training") && call.boolean("training")) call.reject("normalises by the batch, and updates statistics");
  return lower_known_batch_norm(builder, call);
}

// The batch's own statistics; the running ones, where there are any, move towards them and are written back.
Lowered lower_batch_norm_legit(Builder& builder, const BoundCall& call) {
  const TensorValue& input = call.tensor("input");
  const bool running = call.has("running_mean");
  if (!call.boolean("training")) {
    if (!running) call.reject("no running statistics");
    for (const std::string_view statistic : {"running_mean", "running_var"})
      builder.write(call.tensor(statistic), builder.read(call.tensor(statistic)));  // as the schema says, unchanged
    return lower_known_batch_norm(builder, call);
  }
  DType dtype = working_type(call, input.type);
  if (running) dtype = promote(dtype, call.type("running_mean").dtype);
  const int x = builder.cast(builder.read(input), dtype);
  if (builder.rank(x) < 2) call.reject("an input without channels");
  std::vector<int64_t> axes = {0};
  for (int d = 2; d < builder.rank(x); ++d) axes.push_back(d);
  const int64_t count = elements_of(builder, x, axes);
  if (count == 0) call.reject("the mean of nothing");
  const Moments moments = moments_of(builder, x, axes, 0, true);
  const int deviation = inverse_deviation(builder, moments.variance, call.real("eps"));
  const int normal = builder.apply(Function::mul, {builder.apply(Function::sub, {x, moments.mean}), deviation});
  const int node =
      scaled_and_shifted(builder, normal, by_channel(builder, read_optional(builder, call, "weight", dtype), x),
                         by_channel(builder, read_optional(builder, call, "bias", dtype), x));
  const Sizes channels = {builder.size(x, 1)};
  const int mean = builder.reshape(moments.mean, channels), variance = builder.reshape(moments.variance, channels);
  if (running) {
    const double momentum = call.real("momentum"), number = static_cast<double>(count);
    const auto move = [&](std::string_view statistic, int to) {
      const TensorValue& old = call.tensor(statistic);
      const int kept = builder.with(Function::mul, builder.cast(builder.read(old), dtype), 1 - momentum);
      const int moved = builder.apply(Function::add, {builder.with(Function::mul, to, momentum), kept});
      builder.write(old, builder.cast(moved, old.type.dtype));
    };
    move("running_mean", mean);
    move("running_var", builder.with(Function::div, builder.with(Function::mul, variance, number), number - 1));
  }
  return {builder.fresh(builder.cast(node, input.type.dtype), batch_norm_strides(input.type)), builder.fresh(mean),
          builder.fresh(builder.reshape(deviation, channels))};
}

// With y = (x - mean) * rstd and g the gradient times the weight, over the group:
// gradient of x = rstd * (g - mean(g) - y * mean(g * y)).
Lowered lower_group_norm_backward(Builder& builder, const BoundCall& call) {
  const TensorValue &gradient = call.tensor("grad_out"), &input = call.tensor("input");
  DType dtype = promote(working_type(call, input.type), call.type("mean").dtype);
  if (gradient.type.dtype != input.type.dtype) call.reject("operands of two dtypes");
  const DType parameters = dtype;
  if (dtype == DType::f16 || dtype == DType::bf16) dtype = DType::f32;
  const int64_t groups = call.integer("group");
  const Sizes own = input.type.sizes;
  if (own.size() < 2 || groups < 1 || own[1] % groups != 0) call.reject("the groups do not divide dim 1");
  const int64_t rest = element_count(own) / std::max<int64_t>(own[0] * own[1], 1), each = own[1] / groups;
  const Sizes apart = {own[0], groups, each, rest}, statistic = {own[0], groups, 1, 1};
  const auto read = [&](std::string_view argument, const Sizes& sizes) {
    return builder.reshape(builder.cast(builder.read(call.tensor(argument)), dtype), sizes);
  };
  const int g = read("grad_out", apart), deviation = read("rstd", statistic);
  const int distance = builder.apply(Function::sub, {read("input", apart), read("mean", statistic)});
  const int normal = builder.apply(Function::mul, {distance, deviation});
  const std::vector<bool> mask = call.booleans("output_mask");
  if (mask.size() != 3) call.reject("a mask of other than three results");
  Lowered results(3, builder.fresh(builder.number(0, parameters, {0})));
  if (mask[0]) {
    const bool weighted = call.given("weight");
    const int scaled = weighted ? builder.apply(Function::mul, {g, read("weight", {1, groups, each, 1})}) : g;
    const int mean = mean_of(builder, scaled, {2, 3}, true);
    const int slope = mean_of(builder, builder.apply(Function::mul, {scaled, normal}), {2, 3}, true);
    const int centred = builder.apply(Function::sub, {scaled, mean});
    const int left = builder.apply(Function::sub, {centred, builder.apply(Function::mul, {normal, slope})});
    const int node = builder.reshape(builder.apply(Function::mul, {left, deviation}), own);
    results[0] = builder.fresh(builder.cast(node, input.type.dtype), suggested_strides(input.type, own));
  }
  const auto over_batch = [&](int node) {
    const int sum = builder.reshape(builder.reduce(Reduction::sum, node, {0, 3}, false), {own[1]});
    return builder.fresh(builder.cast(sum, parameters));
  };
  if (mask[1]) results[1] = over_batch(builder.apply(Function::mul, {g, normal}));
  if (mask[2]) results[2] = over_batch(g);
  return results;
}

constexpr std::string_view kGroupNormSamples[] = {
    "def f(x: f32[2,6,5], w: f32[6], b: f32[6]): y = aten.group_norm(x, 3, w, b); return y",
    "def f(x: bf16[3,4,5,3]): y = aten.group_norm(x, 2); return y",
    "def f(x: f32[2,4,5,3]{stride=120,2,24,8}): y = aten.group_norm(x, 2); return y",
    "def f(x: f32[2,6,5]): y, m, r = aten.native_group_norm(x, None, None, 2, 6, 5, 3, 0.001); return y, m, r",
};
constexpr std::string_view kBatchNormSamples[] = {
    "def f(x: f32[2,3,5], w: f32[3], b: f32[3], m: f32[3], v: f32[3]): "
    "y = aten.batch_norm(x, w, b, m, v, False, 0.1, 0.001, False); return y; call f(v = uniform(1))",
    "def f(x: f32[5,3]{stride=1,5}, z: f32[2,3,4,5]{stride=120,2,30,6}, m: f32[3], v: f32[3]): "
    "y = aten.batch_norm(x, None, None, m, v, False, 0.1, 0.001, False); "
    "w = aten.batch_norm(z, None, None, m, v, False, 0.1, 0.001, False); return y, w; call f(v = uniform(1))",
    "def f(x: f64[2,3,5,2], m: f64[3], v: f64[3]): "
    "y, s, t = aten._native_batch_norm_legit_no_training(x, None, None, m, v, 0.1, 0.001); return y, s, t; "
    "call f(v = uniform(1))",
};
constexpr std::string_view kGroupNormNames[] = {"native_group_norm"};
constexpr std::string_view kLegitSamples[] = {
    "def f(x: f32[2,3,5], w: f32[3], b: f32[3], m: f32[3], v: f32[3]): "
    "y, s, t = aten.$(x, w, b, m, v, True, 0.1, 0.001); return y, s, t, m, v; call f(v = uniform(1))",
    "def f(x: f32[4,3,5,7]{stride=105,1,21,3}, w: f32[3]): "
    "y, s, t = aten.$.no_stats(x, w, None, True, 0.1, 0.001); return y, s, t",
    "def f(x: bf16[4,3,5], w: f32[3], b: f32[3], m: f32[3], v: f32[3]): "
    "y, s, t = aten.$(x, w, b, m, v, True, 0.3, 0.001); return y, s, t; call f(v = uniform(1))",
    "def f(x: f16[5,3]): y, s, t = aten.$.no_stats(x, None, None, True, 0.1, 0.001); return y, s, t",
    "def f(x: f64[2,3,5], m: f64[3], v: f64[3]): y, s, t = aten.$(x, None, None, m, v, False, 0.1, 0.001); "
    "return y, s, t; call f(v = uniform(1))",
};
constexpr std::string_view kGroupNormBackwardSamples[] = {
    "def f(g: f32[2,6,5], x: f32[2,6,5], w: f32[6]): y, m, r = aten.native_group_norm(x, w, None, 2, 6, 5, 3, 0.001); "
    "a, b, c = aten.$(g, x, m, r, w, 2, 6, 5, 3, [True, True, True]); return a, b, c",
    "def f(g: bf16[2,4,3,5], x: bf16[2,4,3,5], w: bf16[4]): "
    "y, m, r = aten.native_group_norm(x, w, None, 2, 4, 15, 2, 0.001); "
    "a, b, c = aten.$(g, x, m, r, w, 2, 4, 15, 2, [True, True, True]); return a, b, c",
    "def f(g: f16[2,4,7], x: f16[2,4,7], w: f32[4]): y, m, r = aten.native_group_norm(x, w, None, 2, 4, 7, 1, 0.001); "
    "a, b, c = aten.$(g, x, m, r, w, 2, 4, 7, 1, [True, True, True]); return a, b, c",
    "def f(g: f64[3,4,5], x: f64[3,4,5]): y, m, r = aten.native_group_norm(x, None, None, 3, 4, 5, 4, 0.001); "
    "a, b, c = aten.$(g, x, m, r, None, 3, 4, 5, 4, [True, False, False]); return a",
};
constexpr std::string_view kInstanceNormSamples[] = {
    "def f(x: f32[2,3,65]): y = aten.$(x, None, None, None, None, True, 0.1, 0.001, False); return y",
    "def f(x: f16[2,3,4,5], w: f16[3], b: f16[3]): y = aten.$(x, w, b, None, None, True, 0.1, 0.001, True); return y",
    "def f(x: f32[2,3,4,5]{stride=60,1,15,3}, w: f32[3]): y = aten.$(x, w, None, None, None, True, 0.1, 0.01, False); "
    "return y",
};
constexpr std::string_view kBatchNormNames[] = {"_native_batch_norm_legit_no_training", "native_batch_norm"};

}  // namespace

#define NORM(name, text, names, lowering, test, writing)             \
  constinit const OpRow op_##name{.id = #name,                       \
                                  .summary = text,                   \
                                  .family = OpFamily::normalisation, \
                                  .synonyms = names,                 \
                                  .lower = lowering,                 \
                                  .samples = test,                   \
                                  .writes = writing};

NORM(group_norm, "groups of channels brought to mean 0 and variance 1", kGroupNormNames, lower_group_norm,
     kGroupNormSamples, false)
NORM(batch_norm, "channels normalised by known statistics", kBatchNormNames, lower_batch_norm, kBatchNormSamples, false)
NORM(_native_batch_norm_legit, "channels normalised by the batch's statistics", {}, lower_batch_norm_legit,
     kLegitSamples, true)
NORM(native_group_norm_backward, "the gradients of native_group_norm", {}, lower_group_norm_backward,
     kGroupNormBackwardSamples, false)
NORM(instance_norm, "each channel of each sample brought to mean 0 and variance 1", {}, lower_instance_norm,
     kInstanceNormSamples, false)

#undef NORM

}  // namespace faultline
