// Convolution as a product of matrices: the windows of the input meet the weights of their group.
#pragma once

#include "runtime/layers/decompose/windows.h"

namespace faultline {

// What a call of any overload says, for `rank` spatial dims behind batch and channels.
struct ConvolutionCall {
  std::vector<int64_t> stride, low, high, dilation, output_padding;
  bool transposed = false;
  int64_t groups = 1;
};

// x [N, C, ...], weight [O, C/groups, taps...], or [C, O/groups, taps...] when transposed; the result is [N, O, ...].
int convolved(Builder& builder, const BoundCall& call, int x, int weight, const ConvolutionCall& convolution);

// The gradients of `convolved` from that of its result.
int convolution_input_gradient(Builder& builder, const BoundCall& call, int gradient, int weight, const Sizes& input,
                               const ConvolutionCall& convolution);
int convolution_weight_gradient(Builder& builder, const BoundCall& call, int gradient, int x, const Sizes& weight,
                                const ConvolutionCall& convolution);

}  // namespace faultline
