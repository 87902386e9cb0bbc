// Means over windows that divide the tensor as evenly as it goes.
#include "runtime/layers/decompose/pooling.h"
#include "runtime/layers/decompose/reduction.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

// Divides by the length of each window, dim by dim, as eager does.
int divided_by_counts(Builder& builder, int x, int first, const Sizes& sizes, const Sizes& results) {
  for (size_t k = 0; k < results.size(); ++k) {
    const int counts = adaptive_counts(builder, sizes[k], results[k], builder.dtype(x));
    x = builder.apply(Function::div, {x, along_dim(builder, counts, builder.rank(x), first + static_cast<int>(k))});
  }
  return x;
}

int windows_over(Builder& builder, int x, int first, const Sizes& results) {
  for (size_t k = 0; k < results.size(); ++k)
    x = adaptive_windows(builder, x, first + 2 * static_cast<int>(k), results[k]);
  return x;
}

Sizes last_dims(const TensorValue& tensor, size_t rank) {
  return {tensor.type.sizes.end() - static_cast<ptrdiff_t>(rank), tensor.type.sizes.end()};
}

template <size_t rank>
Lowered lower_adaptive(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (!is_float(self.type.dtype)) call.reject("the mean of integers");
  if (self.type.sizes.size() < rank) call.reject("a tensor of fewer dims than the result");
  const int first = rank_of(self) - static_cast<int>(rank);
  const Sizes sizes = last_dims(self, rank), results = for_each_dim(call, "output_size", rank);
  for (const int64_t size : sizes)
    if (size == 0) call.reject("the mean of nothing");
  const int windows = windows_over(builder, builder.read(self), first, results);
  const int sum = builder.reduce(Reduction::sum, windows, every_second(first + 1, rank), false);
  const int node = divided_by_counts(builder, sum, first, sizes, results);
  const Sizes own = builder.sizes(node);
  return {builder.fresh(node, rank == 3 ? contiguous_strides(own) : pooled_strides(self.type, own))};
}

// The windows that see an element are the adaptive windows in the other direction.
Lowered lower_adaptive_backward(Builder& builder, const BoundCall& call) {
  constexpr size_t rank = 2;
  const TensorValue &self = call.tensor("self"), &gradient = call.tensor("grad_output");
  if (gradient.type.dtype != self.type.dtype) call.reject("operands of two dtypes");
  if (self.type.sizes.size() != gradient.type.sizes.size() || self.type.sizes.size() < rank)
    call.reject("operands of other ranks");
  const int first = rank_of(self) - static_cast<int>(rank);
  const Sizes sizes = last_dims(self, rank), results = last_dims(gradient, rank);
  const int parts = divided_by_counts(builder, builder.read(gradient), first, sizes, results);
  const int windows = windows_over(builder, parts, first, sizes);
  const int node = builder.reduce(Reduction::sum, windows, every_second(first + 1, rank), false);
  return {builder.fresh(node, pooled_strides(self.type, self.type.sizes))};
}

constexpr std::string_view kAdaptive1dSamples[] = {
    "def f(x: f32[2,3,65]): y = aten.$(x, [4]); return y",
    "def f(x: f16[3,12]): y = aten.$(x, 3); return y",
};
constexpr std::string_view kAdaptive2dSamples[] = {
    "def f(x: f16[2,3,5,7]): y = aten._adaptive_avg_pool2d(x, [3, 2]); return y",
    "def f(x: f32[2,3,7,65]): y = aten.$(x, [3, 4]); return y",
    "def f(x: f16[3,8,6]): y = aten.$(x, [4, 2]); return y",
    "def f(x: bf16[2,3,4,3]): y = aten.$(x, [6, 5]); return y",
    "def f(x: f32[2,3,5,7]): y = aten.$(x, [1, 1]); return y",
    "def f(x: f32[2,3,6,5]{stride=90,1,15,3}): y = aten.$(x, [4, 2]); return y",
};
constexpr std::string_view kAdaptive3dSamples[] = {
    "def f(x: f32[2,3,4,5]): y = aten._adaptive_avg_pool3d(x, [2, 3, 2]); return y",
    "def f(x: f32[2,3,4,5,7]): y = aten.$(x, [3, 5, 2]); return y",
    "def f(x: bf16[2,4,6,4]): y = aten.$(x, [2, 3, 2]); return y",
};
constexpr std::string_view kAdaptive2dBackwardSamples[] = {
    "def f(g: f32[2,3,3,4], x: f32[2,3,7,13]): y = aten.$(g, x); return y",
    "def f(g: f16[3,4,2], x: f16[3,8,6]): y = aten.$(g, x); return y",
    "def f(g: bf16[2,3,6,5], x: bf16[2,3,4,3]): y = aten.$(g, x); return y",
};
constexpr std::string_view kNames2d[] = {"_adaptive_avg_pool2d"};
constexpr std::string_view kNames3d[] = {"_adaptive_avg_pool3d"};

}  // namespace

// Over three dims, and backwards, eager adds in the type of the tensor.
#define POOL(name, text, names, lowering, adds_in_own_type, test)    \
  constinit const OpRow op_##name{.id = #name,                       \
                                  .summary = text,                   \
                                  .family = OpFamily::reduction,     \
                                  .synonyms = names,                 \
                                  .lower = lowering,                 \
                                  .own_type_sums = adds_in_own_type, \
                                  .samples = test};

POOL(adaptive_avg_pool1d, "so many means along the last dim", {}, lower_adaptive<1>, false, kAdaptive1dSamples)
POOL(adaptive_avg_pool2d, "so many means along the last two dims", kNames2d, lower_adaptive<2>, false,
     kAdaptive2dSamples)
POOL(adaptive_avg_pool3d, "so many means along the last three dims", kNames3d, lower_adaptive<3>, true,
     kAdaptive3dSamples)
POOL(_adaptive_avg_pool2d_backward, "the gradient of adaptive_avg_pool2d", {}, lower_adaptive_backward, true,
     kAdaptive2dBackwardSamples)

#undef POOL

}  // namespace faultline
