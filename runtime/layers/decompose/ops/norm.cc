// Layer, group, batch and root-mean-square normalisation, in two passes over the normalised dims.
#include <array>

#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/reduction.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

std::optional<int> read_optional(Builder& builder, const BoundCall& call, std::string_view argument, DType dtype) {
  const auto tensor = call.optional_tensor(argument);
  if (!tensor) return std::nullopt;
  return builder.cast(builder.read(*tensor), dtype);
}

int scaled_and_shifted(Builder& builder, int x, std::optional<int> weight, std::optional<int> bias) {
  if (weight) x = builder.apply(Function::mul, {x, *weight});
  if (bias) x = builder.apply(Function::add, {x, *bias});
  return x;
}

int inverse_deviation(Builder& builder, int variance, double epsilon) {
  return builder.apply(Function::rsqrt, {builder.with(Function::add, variance, epsilon)});
}

// The trailing dims that `normalized_shape` names.
std::vector<int64_t> trailing_axes(const BoundCall& call, const TensorType& type) {
  const std::vector<int64_t> shape = call.integers("normalized_shape");
  if (shape.empty() || shape.size() > type.sizes.size() ||
      !std::equal(shape.rbegin(), shape.rend(), type.sizes.rbegin()))
    call.reject("the normalised shape is not that of the last dims");
  std::vector<int64_t> axes;
  for (size_t d = type.sizes.size() - shape.size(); d < type.sizes.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  return axes;
}

// Parameters of a wider type lift the arithmetic and the statistics, not the result.
DType working_type(const BoundCall& call, const TensorType& input) {
  if (!is_float(input.dtype)) call.reject("the norm of integers");
  return call.given("weight") ? promote(input.dtype, call.type("weight").dtype) : input.dtype;
}

Lowered lower_layer_norm(Builder& builder, const BoundCall& call) {
  const TensorValue& input = call.tensor("input");
  const DType dtype = working_type(call, input.type);
  const int x = builder.cast(builder.read(input), dtype);
  const std::vector<int64_t> axes = trailing_axes(call, input.type);
  const Moments moments = moments_of(builder, x, axes, 0, true);
  const int scale = inverse_deviation(builder, moments.variance, call.real("eps"));
  const int normal = builder.apply(Function::mul, {builder.apply(Function::sub, {x, moments.mean}), scale});
  const int node = scaled_and_shifted(builder, normal, read_optional(builder, call, "weight", dtype),
                                      read_optional(builder, call, "bias", dtype));
  return {builder.fresh(builder.cast(node, input.type.dtype)), builder.fresh(moments.mean), builder.fresh(scale)};
}

double machine_epsilon(DType dtype) {
  switch (dtype) {
    case DType::f64: return 0x1p-52;
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    default: return 0x1p-23;
  }
}

// Eager multiplies by the scale, then by the weight, and makes that contiguous unless the input's format is
// channels-last; dims of size 1 keep the strides that they have by then.
Sizes rms_norm_strides(const BoundCall& call, const TensorType& input, const Sizes& scale, DType dtype) {
  // Half types are computed in f32.
  const DType computed = input.dtype == DType::f64 ? DType::f64 : DType::f32;
  const TensorType x = cast_type(input, computed);
  TensorType product = x;
  product.strides = pointwise_strides(x.sizes, std::array{x, contiguous_type(computed, scale)});
  if (call.given("weight")) {
    const DType wide = promote(computed, dtype);
    const TensorType operands[] = {cast_type(product, wide), cast_type(call.type("weight"), wide)};
    product.strides = pointwise_strides(x.sizes, operands);
    product.dtype = wide;
  }
  if (!suggests_channels_last(input) && !is_contiguous(product)) product.strides = contiguous_strides(x.sizes);
  return cast_type(product, input.dtype).strides;
}

Lowered lower_rms_norm(Builder& builder, const BoundCall& call) {
  const TensorValue& input = call.tensor("input");
  const DType dtype = working_type(call, input.type);
  const int x = builder.cast(builder.read(input), dtype);
  const double epsilon = call.given("eps") ? call.real("eps") : machine_epsilon(input.type.dtype);
  const int square = builder.apply(Function::mul, {x, x});
  const int scale =
      inverse_deviation(builder, mean_of(builder, square, trailing_axes(call, input.type), true), epsilon);
  const int normal = builder.apply(Function::mul, {x, scale});
  const int node = scaled_and_shifted(builder, normal, read_optional(builder, call, "weight", dtype), std::nullopt);
  const Sizes strides = rms_norm_strides(call, input.type, builder.sizes(scale), dtype);
  return {builder.fresh(builder.cast(node, input.type.dtype), strides)};
}

// A vector over the channels (dim 1) in the rank of `x`.
int by_channel(Builder& builder, int vector, int x) {
  Sizes sizes(builder.rank(x), 1);
  sizes[1] = builder.size(vector, 0);
  return builder.reshape(vector, sizes);
}

std::optional<int> by_channel(Builder& builder, std::optional<int> vector, int x) {
  return vector ? std::optional(by_channel(builder, *vector, x)) : std::nullopt;
}

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

Sizes batch_norm_strides(const TensorType& input) {
  if (is_contiguous(input)) return contiguous_strides(input.sizes);
  return is_channels_last(input) ? channels_last_strides(input.sizes) : suggested_strides(input, input.sizes);
}

// Outside training: x * alpha + beta, with alpha = weight / sqrt(variance + eps) and beta = bias - mean * alpha.
Lowered lower_batch_norm(Builder& builder, const BoundCall& call) {
  const TensorValue& input = call.tensor("input");
  if (call.has("training") && call.boolean("training")) call.reject("normalises by the batch, and updates statistics");
  const DType dtype = working_type(call, input.type);
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

constexpr std::string_view kLayerNormSamples[] = {
    "def f(x: f32[3,65], w: f32[65], b: f32[65]): y = aten.layer_norm(x, [65], w, b); return y",
    "def f(x: f16[2,3,5]{stride=1,10,2}): y = aten.layer_norm(x, [3, 5]); return y",
    "def f(x: bf16[3,7], w: f32[7], b: f32[7]): y = aten.layer_norm(x, [7], w, b); return y",
};
constexpr std::string_view kNativeLayerNormSamples[] = {
    "def f(x: f32[3,65], w: f32[65], b: f32[65]): y, m, r = aten.native_layer_norm(x, [65], w, b, 0.01); return y, m, "
    "r",
    "def f(x: f16[2,3,5]): y, m, r = aten.native_layer_norm(x, [3, 5], None, None, 0.001); return y, m, r",
};
constexpr std::string_view kRmsNormSamples[] = {
    "def f(x: f32[3,65], w: f32[65]): y = aten.rms_norm(x, [65], w); return y",
    "def f(x: f16[2,3,5]{stride=1,10,2}): y = aten.rms_norm(x, [3, 5], None, 0.001); return y",
};
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
constexpr std::string_view kBatchNormNames[] = {"_native_batch_norm_legit_no_training", "native_batch_norm"};

}  // namespace

#define NORM(name, text, names, lowering, test)                      \
  constinit const OpRow op_##name{.id = #name,                       \
                                  .summary = text,                   \
                                  .family = OpFamily::normalisation, \
                                  .synonyms = names,                 \
                                  .lower = lowering,                 \
                                  .samples = test};

NORM(layer_norm, "the last dims brought to mean 0 and variance 1", {}, lower_layer_norm, kLayerNormSamples)
NORM(native_layer_norm, "layer_norm with its statistics", {}, lower_layer_norm, kNativeLayerNormSamples)
NORM(rms_norm, "the last dims divided by their root mean square", {}, lower_rms_norm, kRmsNormSamples)
NORM(group_norm, "groups of channels brought to mean 0 and variance 1", kGroupNormNames, lower_group_norm,
     kGroupNormSamples)
NORM(batch_norm, "channels normalised by known statistics", kBatchNormNames, lower_batch_norm, kBatchNormSamples)

#undef NORM

}  // namespace faultline
