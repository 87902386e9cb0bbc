// Layer and root-mean-square normalisation, in two passes over the normalised dims.
#include "runtime/layers/decompose/normalisation.h"
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/reduction.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

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

#undef NORM

}  // namespace faultline
