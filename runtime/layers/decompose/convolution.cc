// Everything is one contraction a group. Sliding windows of x give [groups, N * positions, channels * taps], the
// weights [groups, channels * taps, outputs]. A transposed convolution slides over its input spread out by the stride,
// with the weights in reverse; the gradient of either kind's input is a convolution of the other kind.
#include "runtime/layers/decompose/convolution.h"

#include <fmt/format.h>

#include <numeric>

namespace faultline {
namespace {

struct Shape {
  int64_t batch = 0, channels = 0;  // channels of one group
  int64_t groups = 1;
};

// [N, G * C, ...] as [G * N, C, ...]: groups are batches of their own, and with windows over three dims these are 8.
int apart_by_group(Builder& builder, int x, const Shape& shape) {
  if (shape.groups == 1) return x;
  const Sizes own = builder.sizes(x);
  Sizes apart = {shape.batch, shape.groups, shape.channels}, joined = {shape.groups * shape.batch, shape.channels};
  apart.insert(apart.end(), own.begin() + 2, own.end());
  joined.insert(joined.end(), own.begin() + 2, own.end());
  return builder.reshape(builder.transpose(builder.reshape(x, apart), 0, 1), joined);
}

// [G * N, C, p1, t1, p2, t2, ...] as [G, N * p1 * p2 ..., C * t1 * t2 ...].
int rows_of_windows(Builder& builder, int windows, const Shape& shape, size_t rank) {
  std::vector<int64_t> axes = {0};
  for (const int64_t position : every_second(2, rank)) axes.push_back(position);
  axes.push_back(1);
  int64_t depth = shape.channels;
  for (const int64_t tap : every_second(3, rank)) {
    axes.push_back(tap);
    depth *= builder.size(windows, static_cast<int>(tap));
  }
  int64_t count = shape.batch;
  for (const int64_t position : every_second(2, rank)) count *= builder.size(windows, static_cast<int>(position));
  return builder.reshape(builder.permute(windows, axes), {shape.groups, count, depth});
}

// [G, N * P, O] as [N, G * O, positions...].
int as_images(Builder& builder, int product, int64_t batch, std::span<const WindowDim> dims) {
  const int64_t groups = builder.size(product, 0), outputs = builder.size(product, 2);
  Sizes apart = {groups, batch}, joined = {batch, groups * outputs};
  std::vector<int64_t> axes = {1, 0, static_cast<int64_t>(dims.size()) + 2};
  for (size_t k = 0; k < dims.size(); ++k) {
    apart.push_back(dims[k].positions);
    joined.push_back(dims[k].positions);
    axes.push_back(static_cast<int64_t>(k) + 2);
  }
  apart.push_back(outputs);
  return builder.reshape(builder.permute(builder.reshape(product, apart), axes), joined);
}

std::vector<int64_t> spatial_axes(size_t rank, int64_t first) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// Where the windows of a plain convolution lie.
std::vector<WindowDim> plain_windows(const BoundCall& call, const Sizes& x, const Sizes& weight,
                                     const ConvolutionCall& convolution) {
  std::vector<WindowDim> dims;
  for (size_t k = 0; k + 2 < x.size(); ++k) {
    WindowDim dim{x[k + 2], weight[k + 2], convolution.stride[k], convolution.dilation[k], convolution.low[k], 0};
    if (dim.taps < 1 || dim.stride < 1 || dim.dilation < 1) call.reject("a kernel, stride or dilation below 1");
    const int64_t room = dim.size + convolution.low[k] + convolution.high[k] - dim.reach();
    if (room < 0) call.reject("the kernel is larger than the padded input");
    dim.positions = room / dim.stride + 1;
    dims.push_back(dim);
  }
  return dims;
}

// The windows of the plain convolution that a transposed one turns round: its operand is the result, `x` its positions.
std::vector<WindowDim> turned_windows(const BoundCall& call, const Sizes& x, const Sizes& weight,
                                      const ConvolutionCall& convolution) {
  std::vector<WindowDim> dims;
  for (size_t k = 0; k + 2 < x.size(); ++k) {
    WindowDim dim{0, weight[k + 2], convolution.stride[k], convolution.dilation[k], convolution.low[k], x[k + 2]};
    if (dim.taps < 1 || dim.stride < 1 || dim.dilation < 1) call.reject("a kernel, stride or dilation below 1");
    dim.size = dim.covered() - convolution.low[k] - convolution.high[k] + convolution.output_padding[k];
    if (dim.size < 0) call.reject("more padding than there is");
    dims.push_back(dim);
  }
  return dims;
}

int plain(Builder& builder, const BoundCall& call, int x, int weight, const ConvolutionCall& convolution) {
  const Sizes sizes = builder.sizes(x), kernel = builder.sizes(weight);
  const Shape shape{sizes[0], kernel[1], convolution.groups};
  if (sizes[1] != kernel[1] * shape.groups || kernel[0] % shape.groups != 0) call.reject("channels do not fit groups");
  const std::vector<WindowDim> dims = plain_windows(call, sizes, kernel, convolution);
  const int windows = windows_of(builder, apart_by_group(builder, x, shape), 2, dims, zero_literal(builder.dtype(x)));
  const int64_t depth = element_count(kernel) / std::max<int64_t>(kernel[0], 1);
  const int rows = builder.reshape(weight, {shape.groups, kernel[0] / shape.groups, depth});
  const int product = builder.dot(rows_of_windows(builder, windows, shape, dims.size()), builder.transpose(rows, 1, 2));
  return as_images(builder, product, sizes[0], dims);
}

// [G * C, O, taps...] with the taps in reverse, as [G, C * taps, O].
int turned_weights(Builder& builder, int weight, const Shape& shape) {
  const Sizes kernel = builder.sizes(weight);
  const size_t rank = kernel.size() - 2;
  const int reverse = builder.flip(weight, spatial_axes(rank, 2));
  Sizes apart = {shape.groups, shape.channels};
  apart.insert(apart.end(), kernel.begin() + 1, kernel.end());
  std::vector<int64_t> axes = {0, 1};
  for (const int64_t tap : spatial_axes(rank, 3)) axes.push_back(tap);
  axes.push_back(2);
  const int last = builder.permute(builder.reshape(reverse, apart), axes);
  const int64_t depth = element_count(kernel) / std::max<int64_t>(shape.groups * kernel[1], 1);
  return builder.reshape(last, {shape.groups, depth, kernel[1]});
}

int transposed(Builder& builder, const BoundCall& call, int x, int weight, const ConvolutionCall& convolution) {
  const Sizes sizes = builder.sizes(x), kernel = builder.sizes(weight);
  if (sizes[1] != kernel[0] || kernel[0] % convolution.groups != 0) call.reject("channels do not fit groups");
  const Shape shape{sizes[0], kernel[0] / convolution.groups, convolution.groups};
  std::vector<WindowDim> dims = turned_windows(call, sizes, kernel, convolution);
  const int windows = seen_from(builder, apart_by_group(builder, x, shape), 2, dims, zero_literal(builder.dtype(x)));
  const int product =
      builder.dot(rows_of_windows(builder, windows, shape, dims.size()), turned_weights(builder, weight, shape));
  for (WindowDim& dim : dims) dim.positions = dim.size;
  return as_images(builder, product, sizes[0], dims);
}

}  // namespace

int convolved(Builder& builder, const BoundCall& call, int x, int weight, const ConvolutionCall& convolution) {
  if (builder.dtype(x) != builder.dtype(weight)) call.reject("an input and a weight of two dtypes");
  if (builder.rank(x) != builder.rank(weight)) call.reject("an input and a weight of different ranks");
  if (convolution.groups < 1) call.reject("no groups");
  return convolution.transposed ? transposed(builder, call, x, weight, convolution)
                                : plain(builder, call, x, weight, convolution);
}

int convolution_input_gradient(Builder& builder, const BoundCall& call, int gradient, int weight, const Sizes& input,
                               const ConvolutionCall& convolution) {
  ConvolutionCall turned = convolution;
  turned.transposed = !convolution.transposed;
  if (turned.transposed) {
    // What a plain convolution leaves over at the end of its input gets a gradient as well.
    const Sizes kernel = builder.sizes(weight);
    for (size_t k = 0; k < turned.stride.size(); ++k) {
      const WindowDim dim{input[k + 2],       kernel[k + 2], turned.stride[k],
                          turned.dilation[k], turned.low[k], builder.size(gradient, static_cast<int>(k) + 2)};
      turned.output_padding[k] = dim.size - (dim.covered() - turned.low[k] - turned.high[k]);
    }
  }
  return convolved(builder, call, gradient, weight, turned);
}

// The images under the windows, [N, C, ...], and those that hold a number for each position, [N, O, ...], change places
// when the convolution is transposed. The sum runs over batch and positions.
int convolution_weight_gradient(Builder& builder, const BoundCall& call, int gradient, int x, const Sizes& weight,
                                const ConvolutionCall& convolution) {
  const int under = convolution.transposed ? gradient : x, at = convolution.transposed ? x : gradient;
  const Sizes sizes = builder.sizes(under), places = builder.sizes(at);
  const Shape shape{sizes[0], weight[1], convolution.groups};
  std::vector<WindowDim> dims;
  for (size_t k = 0; k + 2 < sizes.size(); ++k)
    dims.push_back({sizes[k + 2], weight[k + 2], convolution.stride[k], convolution.dilation[k], convolution.low[k],
                    places[k + 2]});
  if (sizes[1] != weight[1] * shape.groups || places[1] != weight[0] || weight[0] % std::max<int64_t>(shape.groups, 1))
    call.reject("channels do not fit groups");
  const int windows =
      windows_of(builder, apart_by_group(builder, under, shape), 2, dims, zero_literal(builder.dtype(under)));
  const int columns = rows_of_windows(builder, windows, shape, dims.size());
  const int64_t count = builder.size(columns, 1), outputs = weight[0] / shape.groups;
  Sizes apart = {shape.batch, shape.groups, outputs};
  apart.insert(apart.end(), places.begin() + 2, places.end());
  std::vector<int64_t> axes = {1, 2, 0};
  for (const int64_t axis : spatial_axes(dims.size(), 3)) axes.push_back(axis);
  const int rows = builder.reshape(builder.permute(builder.reshape(at, apart), axes), {shape.groups, outputs, count});
  return builder.reshape(builder.dot(rows, columns), weight);
}

}  // namespace faultline
