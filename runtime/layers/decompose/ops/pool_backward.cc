// The gradients of pooling: every element collects from the windows that see it.
#include <algorithm>

#include "runtime/layers/decompose/pooling.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

Lowered lower_average_backward(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &gradient = call.tensor("grad_output");
  if (gradient.type.dtype != self.type.dtype) call.reject("operands of two dtypes");
  const std::vector<WindowDim> dims = pool_dims(call, self.type.sizes, 2);
  if (gradient.type.sizes != pooled_sizes(self.type, dims)) call.reject("a gradient of other sizes than the result");
  const int first = rank_of(self) - 2;
  const int divisor = pool_divisor(builder, call, dims, self.type.dtype);
  const int parts = builder.apply(Function::div, {builder.read(gradient), divisor});
  const int windows = seen_from(builder, parts, first, dims, zero_literal(self.type.dtype));
  const int node = added_in_turn(builder, call, windows, every_second(first + 1, 2));
  return {builder.fresh(node, pooled_strides(self.type, self.type.sizes))};
}

// Every gradient goes where its index says, wherever that is: each element compares its own number with all indices of
// its plane. Types of 16 bits, which eager adds one by one, compare with those of the windows that see the element.
Lowered lower_maximum_backward(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &gradient = call.tensor("grad_output"),
                    &indices = call.tensor("indices");
  const DType dtype = self.type.dtype;
  if (gradient.type.dtype != dtype || indices.type.dtype != DType::i64) call.reject("operands of other dtypes");
  const std::vector<WindowDim> dims = pool_dims(call, self.type.sizes, 2);
  const Sizes sizes = pooled_sizes(self.type, dims);
  if (gradient.type.sizes != sizes || indices.type.sizes != sizes) call.reject("a gradient of other sizes");
  const int first = rank_of(self) - 2, g = builder.read(gradient), at = builder.read(indices);
  const Sizes strides = pooled_strides(self.type, self.type.sizes);
  const bool overlap = std::any_of(dims.begin(), dims.end(), [](const WindowDim& d) { return d.stride < d.reach(); });
  const int zero = builder.number(0, dtype);
  if (overlap && (dtype == DType::f16 || dtype == DType::bf16)) {
    const int parts = seen_from(builder, g, first, dims, zero_literal(dtype));
    const int places = seen_from(builder, at, first, dims, integer_literal(-1, DType::i64));
    const Sizes apart = builder.sizes(parts);
    const int row = builder.iota(apart, first, 0, dims[1].size), column = builder.iota(apart, first + 2);
    const int own = builder.apply(Function::add, {row, column});
    const int mine = builder.select(builder.apply(Function::equal, {places, own}), parts, zero);
    return {builder.fresh(added_in_turn(builder, call, mine, every_second(first + 1, 2)), strides)};
  }
  const int64_t elements = dims[0].size * dims[1].size, positions = dims[0].positions * dims[1].positions;
  const int64_t planes = element_count(Sizes(sizes.begin(), sizes.end() - 2));
  const Sizes all = {planes, elements, positions};
  const auto spread = [&](int node) {
    return builder.broadcast(builder.reshape(node, {planes, positions}), all, {0, 2});
  };
  const int here = builder.apply(Function::equal, {spread(at), builder.iota(all, 1)});
  const int sum = builder.reduce(Reduction::sum, builder.select(here, spread(g), zero), {2}, false);
  return {builder.fresh(builder.reshape(sum, self.type.sizes), strides)};
}

constexpr std::string_view kAverage2dSamples[] = {
    "def f(g: f32[2,3,4,22], x: f32[2,3,7,65]): y = aten.$(g, x, [3, 2], [2, 3], [1, 0], False, True, None); return y",
    "def f(g: f16[3,5,3], x: f16[3,8,5]): y = aten.$(g, x, [3, 3], [2, 2], [1, 1], True, False, None); return y",
    "def f(g: bf16[1,2,4,3], x: bf16[1,2,6,5]): y = aten.$(g, x, [3, 3], [1, 1], [0, 0], False, True, 5); return y",
    "def f(g: f32[2,3,3,2]{stride=18,1,6,3}, x: f32[2,3,6,5]{stride=90,1,15,3}): "
    "y = aten.$(g, x, [2, 2], [2, 2], [0, 0], False, True, None); return y",
};
constexpr std::string_view kMaximumSamples[] = {
    "def f(g: f32[2,3,4,21], x: f32[2,3,7,65]): p, i = aten.max_pool2d_with_indices(x, [3, 3], [2, 3], [1, 0]); "
    "y = aten.$(g, x, [3, 3], [2, 3], [1, 0], [1, 1], False, i); return y",
    "def f(g: f16[3,4,3], x: f16[3,8,5]): p, i = aten.max_pool2d_with_indices(x, [3, 3], [2, 2], [1, 1]); "
    "y = aten.$(g, x, [3, 3], [2, 2], [1, 1], [1, 1], False, i); return y",
    "def f(g: bf16[2,3,3,2], x: bf16[2,3,6,5]): p, i = aten.max_pool2d_with_indices(x, [2, 2]); "
    "y = aten.$(g, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i); return y",
    "def f(g: f32[1,2,2], x: f32[1,4,4], i: i64[1,2,2]): "
    "y = aten.$(g, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i); return y; call f(i = values(15, 3, 3, 0))",
};

}  // namespace

#define POOL(name, text, lowering, test) \
  constinit const OpRow op_##name{       \
      .id = #name, .summary = text, .family = OpFamily::reduction, .lower = lowering, .samples = test};

POOL(avg_pool2d_backward, "the gradient of avg_pool2d", lower_average_backward, kAverage2dSamples)
POOL(max_pool2d_with_indices_backward, "the gradient of max_pool2d", lower_maximum_backward, kMaximumSamples)

#undef POOL

}  // namespace faultline
