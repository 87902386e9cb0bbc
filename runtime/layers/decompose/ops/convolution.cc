// The overloads of convolution, forward and backward.
#include "runtime/layers/decompose/convolution.h"

#include <algorithm>
#include <numeric>

#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

// As much padding as keeps the size, the larger half behind.
void keep_sizes(const BoundCall& call, const Sizes& weight, ConvolutionCall& convolution) {
  for (size_t k = 0; k < convolution.stride.size(); ++k) {
    if (convolution.stride[k] != 1) call.reject("padding 'same' with a stride");
    const int64_t total = convolution.dilation[k] * (weight[k + 2] - 1);
    convolution.low[k] = total / 2;
    convolution.high[k] = total - total / 2;
  }
}

ConvolutionCall convolution_of(const BoundCall& call, const Sizes& weight, bool transposed) {
  if (weight.size() < 3) call.reject("a weight without spatial dims");
  const size_t rank = weight.size() - 2;
  ConvolutionCall convolution;
  convolution.stride = for_each_dim(call, "stride", rank, {1});
  convolution.dilation = for_each_dim(call, "dilation", rank, {1});
  convolution.groups = call.integer("groups");
  convolution.transposed = transposed;
  convolution.output_padding.assign(rank, 0);
  if (call.overload() == "padding") {
    convolution.low.assign(rank, 0);
    convolution.high.assign(rank, 0);
    const std::string mode = call.word("padding", "valid");
    if (mode == "same") keep_sizes(call, weight, convolution);
    if (mode != "same" && mode != "valid") call.reject("padding '" + mode + "'");
    return convolution;
  }
  convolution.low = convolution.high = for_each_dim(call, "padding", rank, {0});
  if (transposed) convolution.output_padding = for_each_dim(call, "output_padding", rank, {0});
  for (size_t k = 0; k < rank; ++k) {
    if (convolution.low[k] < 0) call.reject("negative padding");
    const int64_t most = std::max(convolution.stride[k], convolution.dilation[k]);
    if (convolution.output_padding[k] < 0 || convolution.output_padding[k] >= most)
      call.reject("an output padding that is not smaller than stride or dilation");
  }
  return convolution;
}

// The tensor with a dim of size 1, as unsqueeze shows it.
TensorType unsqueezed(TensorType type, size_t dim) {
  const int64_t stride = dim < type.sizes.size() ? type.sizes[dim] * type.strides[dim] : 1;
  type.sizes.insert(type.sizes.begin() + static_cast<ptrdiff_t>(dim), 1);
  type.strides.insert(type.strides.begin() + static_cast<ptrdiff_t>(dim), stride);
  return type;
}

// Over three dims channels last is oneDNN's alone, which takes all 16-bit floats, and of f32 what is large enough.
bool is_layout_of_volumes_kept(const BoundCall& call, const Sizes& input, const Sizes& weight,
                               const ConvolutionCall& form, DType dtype) {
  for (size_t k = 0; form.transposed && k < form.stride.size(); ++k)
    if (form.output_padding[k] >= form.stride[k]) return false;
  if (dtype == DType::f16 || dtype == DType::bf16) return true;
  const bool large = form.groups > 1 || (weight[3] > 3 && weight[4] > 3) || input[0] > 1 ||
                     input[0] * input[1] * input[2] * input[3] > 20480;
  if (dtype != DType::f32 || !large) return false;
  const auto above_one = [](int64_t number) { return number != 1; };
  const bool strided = std::any_of(form.stride.begin(), form.stride.end(), above_one) ||
                       std::any_of(form.dilation.begin(), form.dilation.end(), above_one);
  if (!strided && input[0] < 16 && weight[3] == 1 && weight[4] == 1)
    call.reject("strides of the result that depend on the number of eager's threads");
  return true;
}

// Channels last where the input or the weight is. One spatial dim is laid out as two, the first of size 1, for which
// eager copies the input, so that the weight alone counts.
Sizes image_strides(const BoundCall& call, TensorType input, TensorType weight, Sizes sizes,
                    const ConvolutionCall& form) {
  const size_t rank = weight.sizes.size();
  if (input.sizes.size() < rank) input = unsqueezed(std::move(input), 0);
  if (element_count(input.sizes) == 0) return contiguous_strides(sizes);
  if (rank == 3) {
    input = contiguous_type(input.dtype, input.sizes);
    input = unsqueezed(std::move(input), 2);
    weight = unsqueezed(std::move(weight), 2);
    sizes.insert(sizes.begin() + 2, 1);
  }
  bool last = suggests_channels_last(input) || suggests_channels_last(weight);
  if (last && rank == 5) last = is_layout_of_volumes_kept(call, input.sizes, weight.sizes, form, input.dtype);
  Sizes strides = last ? channels_last_strides(sizes) : contiguous_strides(sizes);
  if (rank == 3) strides.erase(strides.begin() + 2);
  return strides;
}

Lowered convolution(Builder& builder, const BoundCall& call, bool transposed) {
  const TensorValue &input = call.tensor("input"), &weight = call.tensor("weight");
  const bool batched = rank_of(input) == rank_of(weight);
  if (!batched && rank_of(input) + 1 != rank_of(weight)) call.reject("an input and a weight of different ranks");
  int x = builder.read(input);
  if (!batched) x = builder.insert_dim(x, 0);
  const ConvolutionCall form = convolution_of(call, weight.type.sizes, transposed);
  int node = convolved(builder, call, x, builder.read(weight), form);
  if (const auto bias = call.optional_tensor("bias")) {
    if (bias->type.dtype != builder.dtype(node) || rank_of(*bias) != 1 || bias->type.sizes[0] != builder.size(node, 1))
      call.reject("a bias that does not fit");
    Sizes shape(builder.rank(node), 1);
    shape[1] = builder.size(node, 1);
    node = builder.apply(Function::add, {node, builder.reshape(builder.read(*bias), shape)});
  }
  Sizes strides = image_strides(call, input.type, weight.type, builder.sizes(node), form);
  if (batched) return {builder.fresh(node, strides)};
  strides.erase(strides.begin());
  return {builder.fresh(builder.remove_dim(node, 0), strides)};
}

Lowered lower_convolution(Builder& builder, const BoundCall& call) {
  return convolution(builder, call, call.boolean("transposed"));
}
Lowered lower_plain(Builder& builder, const BoundCall& call) { return convolution(builder, call, false); }
Lowered lower_transposed(Builder& builder, const BoundCall& call) { return convolution(builder, call, true); }

Lowered lower_backward(Builder& builder, const BoundCall& call) {
  const TensorValue &gradient = call.tensor("grad_output"), &input = call.tensor("input"),
                    &weight = call.tensor("weight");
  const DType dtype = gradient.type.dtype;
  if (input.type.dtype != dtype || weight.type.dtype != dtype) call.reject("operands of several dtypes");
  if (rank_of(gradient) != rank_of(weight) || rank_of(input) != rank_of(weight))
    call.reject("an input without a batch");
  const ConvolutionCall form = convolution_of(call, weight.type.sizes, call.boolean("transposed"));
  const std::vector<bool> mask = call.booleans("output_mask");
  if (mask.size() != 3) call.reject("a mask of other than three results");
  const int nothing = builder.number(0, dtype, {0});
  Lowered results(3, builder.fresh(nothing));
  const int g = builder.read(gradient);
  if (mask[0]) {
    const int node = convolution_input_gradient(builder, call, g, builder.read(weight), input.type.sizes, form);
    results[0] = builder.fresh(node, image_strides(call, input.type, weight.type, builder.sizes(node), form));
  }
  if (mask[1]) {
    const int node = convolution_weight_gradient(builder, call, g, builder.read(input), weight.type.sizes, form);
    results[1] = builder.fresh(node, image_strides(call, input.type, weight.type, builder.sizes(node), form));
  }
  if (mask[2]) {
    std::vector<int64_t> axes(rank_of(gradient) - 1);
    std::iota(axes.begin(), axes.end(), 1);
    axes[0] = 0;
    results[2] = builder.fresh(builder.reduce(Reduction::sum, g, axes, false));
  }
  return results;
}

constexpr std::string_view kConvolutionSamples[] = {
    "def f(x: f32[2,3,7,9], w: f32[4,3,3,2], b: f32[4]): "
    "y = aten.$(x, w, b, [2, 1], [1, 0], [1, 2], False, [0, 0], 1); return y",
    "def f(x: f32[1,4,5,65], w: f32[6,2,1,3]): y = aten.$(x, w, None, [1], [0, 1], [1], False, [0], 2); return y",
    "def f(x: f16[2,4,11], w: f16[4,1,3], b: f16[4]): y = aten.$(x, w, b, [1], [2], [1], False, [0], 4); return y",
    "def f(x: bf16[2,3,5,7], w: bf16[4,3,3,3], b: bf16[4]): "
    "y = aten.$(x, w, b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1); return y",
    "def f(x: f32[1,2,3,4,5], w: f32[3,2,2,2,2]): "
    "y = aten.$(x, w, None, [1, 1, 2], [0, 1, 0], [1, 1, 1], False, [0, 0, 0], 1); return y",
    "def f(x: f64[2,3,5], w: f64[3,2,3], b: f64[2]): y = aten.$(x, w, b, [3], [1], [1], True, [2], 1); return y",
    "def f(x: f32[2,4,3,5], w: f32[4,3,3,2], b: f32[6]): "
    "y = aten.$(x, w, b, [2, 3], [1, 0], [1, 2], True, [1, 2], 2); return y",
    "def f(x: bf16[1,3,4,4], w: bf16[3,2,3,3]): y = aten.$(x, w, None, [2], [1], [1], True, [1], 1); return y",
    "def f(x: f32[0,3,7], w: f32[4,3,3]): y = aten.$(x, w, None, [1], [1], [1], False, [0], 1); return y",
    "def f(x: f32[2,3,6,5]{stride=90,1,15,3}, w: f32[4,3,3,3]): "
    "y = aten.$(x, w, None, [1], [1], [1], False, [0], 1); return y",
    "def f(x: bf16[1,4,5]{stride=20,1,4}, w: bf16[2,4,3]{stride=12,1,4}): "
    "y = aten.$(x, w, None, [1], [0], [1], False, [0], 1); return y",
    "def f(x: f32[1,2,3,4,5]{stride=120,1,40,10,2}, w: f32[3,2,2,2,2]): "
    "y = aten.$(x, w, None, [1], [0], [1], False, [0], 1); return y",
    "def f(x: f16[1,2,3,4,5]{stride=120,1,40,10,2}, w: f16[3,2,1,1,1]): "
    "y = aten.$(x, w, None, [1], [0], [1], False, [0], 1); return y",
    "def f(x: f32[2,4,1,1], w: f32[4,3,1,2]): y = aten.$(x, w, None, [1], [0], [1], True, [0], 1); return y",
};
constexpr std::string_view kConv1dSamples[] = {
    "def f(x: f32[2,3,65], w: f32[4,3,5], b: f32[4]): y = aten.$(x, w, b, [2], [1], [3]); return y",
    "def f(x: f16[3,13], w: f16[6,1,4]): y = aten.$(x, w, None, 1, 2, 1, 3); return y",
    "def f(x: f32[2,3,11], w: f32[4,3,4]): y = aten.$.padding(x, w, None, [1], \"same\", [2]); return y",
};
constexpr std::string_view kConv2dSamples[] = {
    "def f(x: f32[2,3,5,65], w: f32[4,3,3,3], b: f32[4]): y = aten.$(x, w, b, [1, 2], [1, 1]); return y",
    "def f(x: bf16[3,7,5], w: bf16[4,3,3,2]): y = aten.$(x, w); return y",
    "def f(x: f64[3,7,5], w: f64[4,3,3,2]{stride=18,1,6,3}): y = aten.$(x, w); return y",
    "def f(x: f16[2,4,7,5], w: f16[4,2,3,3], b: f16[4]): y = aten.$(x, w, b, 2, 1, 1, 2); return y",
    "def f(x: f32[2,4,7,5], w: f32[4,4,1,1]{stride=4,1,4,4}): y = aten.$.padding(x, w, None, [2], \"valid\"); return y",
};
constexpr std::string_view kConv3dSamples[] = {
    "def f(x: f32[1,2,5,4,7], w: f32[4,1,3,2,3], b: f32[4]): "
    "y = aten.$(x, w, b, [2, 1, 1], [1, 0, 1], [1, 2, 1], 2); return y",
    "def f(x: bf16[2,3,4,5], w: bf16[2,2,2,3,2]): y = aten.$(x, w); return y",
};
constexpr std::string_view kTranspose1dSamples[] = {
    "def f(x: f32[2,3,13], w: f32[3,4,5], b: f32[4]): y = aten.$(x, w, b, [2], [1], [1]); return y",
    "def f(x: f16[4,7], w: f16[4,1,3]): y = aten.$(x, w, None, 3, 0, 0, 2, 2); return y",
};
constexpr std::string_view kTranspose2dSamples[] = {
    "def f(x: f32[2,3,4,5], w: f32[3,4,3,2], b: f32[4]): y = aten.$.input(x, w, b, [2, 1], [1, 0], [1, 0]); return y",
    "def f(x: bf16[4,3,3], w: bf16[4,2,2,3]): y = aten.$.input(x, w, None, 1, 0, 0, 2, [1, 2]); return y",
};
constexpr std::string_view kTranspose3dSamples[] = {
    "def f(x: f32[1,2,3,2,4], w: f32[2,3,2,3,2], b: f32[3]): "
    "y = aten.$.input(x, w, b, [1, 2, 2], [0, 1, 0], [0, 1, 1]); return y",
    "def f(x: bf16[2,3,2,3], w: bf16[2,2,2,2,2]): y = aten.$.input(x, w); return y",
};
constexpr std::string_view kBackwardSamples[] = {
    "def f(g: f32[2,4,4], x: f32[2,3,6]{stride=18,1,3}, w: f32[4,3,3]{stride=9,1,3}): gx, gw, gb = "
    "aten.$(g, x, w, [4], [1], [0], [1], False, [0], 1, [True, True, True]); return gx, gw, gb",
    "def f(g: f32[2,4,4,5], x: f32[2,3,7,9], w: f32[4,3,3,2]): gx, gw, gb = "
    "aten.$(g, x, w, [4], [2, 2], [1, 1], [1, 2], False, [0, 0], 1, [True, True, True]); return gx, gw, gb",
    "def f(g: f32[2,6,11], x: f32[2,4,13], w: f32[6,2,3]): gx, gw, gb = "
    "aten.$(g, x, w, [6], [1], [0], [1], False, [0], 2, [True, True, True]); return gx, gw, gb",
    "def f(g: bf16[2,4,5,7], x: bf16[2,3,5,7], w: bf16[4,3,3,3]): gx, gw, gb = "
    "aten.$(g, x, w, [4], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True]); return gx, gw, gb",
    "def f(g: f64[2,4,10], x: f64[2,3,5], w: f64[3,4,3]): gx, gw, gb = "
    "aten.$(g, x, w, [4], [2], [1], [1], True, [1], 1, [True, True, True]); return gx, gw, gb",
    "def f(g: f32[2,6,7,8], x: f32[2,4,3,4], w: f32[4,3,3,2]): gx, gw, gb = "
    "aten.$(g, x, w, [6], [2, 2], [0, 0], [1, 1], True, [0, 0], 2, [True, True, True]); return gx, gw, gb",
    "def f(g: f32[1,4,3,3,2], x: f32[1,2,4,5,4], w: f32[4,2,2,3,3]): gx, gw, gb = "
    "aten.$(g, x, w, [4], [1, 1, 1], [0, 0, 0], [1, 1, 1], False, [0, 0, 0], 1, [True, True, False]); return gx, gw",
};

}  // namespace

#define CONVOLUTION(name, text, lowering, test) \
  constinit const OpRow op_##name{              \
      .id = #name, .summary = text, .family = OpFamily::contraction, .lower = lowering, .samples = test};

CONVOLUTION(convolution, "weights slid over images, forwards or transposed", lower_convolution, kConvolutionSamples)
CONVOLUTION(conv1d, "convolution over one dim", lower_plain, kConv1dSamples)
CONVOLUTION(conv2d, "convolution over two dims", lower_plain, kConv2dSamples)
CONVOLUTION(conv3d, "convolution over three dims", lower_plain, kConv3dSamples)
CONVOLUTION(conv_transpose1d, "transposed convolution over one dim", lower_transposed, kTranspose1dSamples)
CONVOLUTION(conv_transpose2d, "transposed convolution over two dims", lower_transposed, kTranspose2dSamples)
CONVOLUTION(conv_transpose3d, "transposed convolution over three dims", lower_transposed, kTranspose3dSamples)
CONVOLUTION(convolution_backward, "the gradients of convolution", lower_backward, kBackwardSamples)

#undef CONVOLUTION

}  // namespace faultline
