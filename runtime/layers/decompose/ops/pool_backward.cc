// The gradients of pooling: every element collects from the windows that see it.
#include "runtime/layers/decompose/pooling.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/updates.h"
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
  const int node = builder.reduce(Reduction::sum, windows, every_second(first + 1, 2), false);
  return {builder.fresh(node, pooled_strides(self.type, self.type.sizes))};
}

// Every gradient goes where its index says, which may be anywhere in its plane.
Lowered lower_maximum_backward(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &gradient = call.tensor("grad_output"),
                    &indices = call.tensor("indices");
  const DType dtype = self.type.dtype;
  if (gradient.type.dtype != dtype || indices.type.dtype != DType::i64) call.reject("operands of other dtypes");
  const std::vector<WindowDim> dims = pool_dims(call, self.type.sizes, 2);
  const Sizes sizes = pooled_sizes(self.type, dims);
  if (gradient.type.sizes != sizes || indices.type.sizes != sizes) call.reject("a gradient of other sizes");
  const int64_t elements = dims[0].size * dims[1].size, positions = dims[0].positions * dims[1].positions;
  const int64_t planes = element_count(Sizes(sizes.begin(), sizes.end() - 2));
  require_pairs(call, planes * elements, positions);
  const auto flat = [&](const TensorValue& tensor) {
    return builder.reshape(builder.read(tensor), {planes, positions});
  };
  const int sum = update_sum(builder, {flat(indices), flat(gradient)}, elements);
  return {builder.fresh(builder.reshape(sum, self.type.sizes), pooled_strides(self.type, self.type.sizes))};
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

// Eager adds to the result in memory.
#define POOL(name, text, lowering, test)                         \
  constinit const OpRow op_##name{.id = #name,                   \
                                  .summary = text,               \
                                  .family = OpFamily::reduction, \
                                  .lower = lowering,             \
                                  .own_type_sums = true,         \
                                  .samples = test};

POOL(avg_pool2d_backward, "the gradient of avg_pool2d", lower_average_backward, kAverage2dSamples)
POOL(max_pool2d_with_indices_backward, "the gradient of max_pool2d", lower_maximum_backward, kMaximumSamples)

#undef POOL

}  // namespace faultline
