// Tensors whose content is nobody's promise. In the exact domain their elements are undefined, and so is what is made
// of them; what is written over them is not. The undefined element is a NaN made an integer, which no machine defines.
#include <algorithm>
#include <limits>
#include <numeric>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

int undefined_elements(Builder& builder, DType dtype, const Sizes& sizes) {
  const int nan = builder.number(std::numeric_limits<double>::quiet_NaN(), DType::f32);
  const int number = builder.cast(nan, DType::i64);
  return builder.expand(builder.cast(number, dtype), sizes);
}

Lowered uninitialised(Builder& builder, const BoundCall& call, DType dtype, const Sizes& sizes, const Sizes& strides) {
  if (sizes.size() != strides.size()) call.reject("sizes and strides differ in length");
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) call.reject("a negative size or stride");
    if (sizes[d] > 1 && strides[d] == 0) call.reject("elements that share memory");
  }
  return {builder.fresh(undefined_elements(builder, dtype, sizes), strides)};
}

DType dtype_of(const BoundCall& call) {
  return call.dtype("dtype", call.has("self") ? call.type("self").dtype : DType::f32);
}

Lowered lower_empty(Builder& builder, const BoundCall& call) {
  const Sizes sizes = call.integers("size");
  const std::string format = call.has("memory_format") ? call.word("memory_format", "contiguous_format") : "";
  if (!format.empty() && format != "contiguous_format") call.reject("memory format " + format);
  return uninitialised(builder, call, dtype_of(call), sizes, contiguous_strides(sizes));
}

Lowered lower_empty_strided(Builder& builder, const BoundCall& call) {
  return uninitialised(builder, call, dtype_of(call), call.integers("size"), call.integers("stride"));
}

// The dims in the order in which they lie in memory.
Lowered lower_empty_permuted(Builder& builder, const BoundCall& call) {
  const Sizes sizes = call.integers("size");
  const std::vector<int64_t> order = call.integers("physical_layout");
  std::vector<int64_t> sorted = order, all(sizes.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) call.reject("an order that does not name every dim once");
  Sizes lying;
  for (const int64_t dim : order) lying.push_back(sizes[dim]);
  const Sizes dense = contiguous_strides(lying);
  Sizes strides(sizes.size());
  for (size_t k = 0; k < order.size(); ++k) strides[order[k]] = dense[k];
  return uninitialised(builder, call, dtype_of(call), sizes, strides);
}

Lowered lower_empty_like(Builder& builder, const BoundCall& call) {
  const TensorType& type = call.type("self");
  const std::string format = call.word("memory_format", "preserve_format");
  if (format != "preserve_format" && format != "contiguous_format") call.reject("memory format " + format);
  const Sizes strides = format == "preserve_format" ? preserved_strides(type) : contiguous_strides(type.sizes);
  return uninitialised(builder, call, dtype_of(call), type.sizes, strides);
}

constexpr std::string_view kEmptySamples[] = {
    "def f(x: f32[3,5]): y = aten.empty.memory_format([3, 5]); z = aten.copy_(y, x); return y",
    "def f(x: f16[7]): y = aten.empty.memory_format([7], dtype = f16); z = aten.fill_.Scalar(y, 2); "
    "w = aten.add.Tensor(x, y); return w",
    "def f(x: i64[65]): y = aten.empty.memory_format([65], dtype = i64); z = aten.copy_(y, x); return y",
    "def f(x: f32[5]): y = aten.empty.memory_format([0]); z = aten.empty.memory_format([2]); w = aten.neg(x); return "
    "y, z, w",
};
constexpr std::string_view kEmptyStridedSamples[] = {
    "def f(x: f32[3,5]): y = aten.empty_strided([3, 5], [1, 3]); z = aten.copy_(y, x); return y",
    "def f(x: f16[7]): y = aten.empty_strided([2, 3], [4, 1], dtype = bf16); z = aten.zero_(y); return y",
};
constexpr std::string_view kEmptyPermutedSamples[] = {
    "def f(x: f32[3,5]): y = aten.empty_permuted([3, 5], [1, 0]); z = aten.copy_(y, x); return y",
    "def f(x: f16[7]): y = aten.empty_permuted([2, 3, 4], [0, 2, 1], dtype = bf16); z = aten.zero_(y); return y",
};
constexpr std::string_view kEmptyLikeSamples[] = {
    "def f(x: f32[3,5]{stride=1,3}): y = aten.empty_like(x); z = aten.copy_(y, x); return y",
    "def f(x: f16[7]): y = aten.empty_like(x, dtype = i64); z = aten.fill_.Scalar(y, 3); return y",
};
constexpr std::string_view kNewEmptySamples[] = {
    "def f(x: f32[3,5]{stride=1,3}): y = aten.new_empty(x, [3, 5]); z = aten.copy_(y, x); return y",
    "def f(x: f16[7]): y = aten.new_empty(x, [65]); z = aten.fill_.Scalar(y, 3); return y",
};
constexpr std::string_view kNewEmptyStridedSamples[] = {
    "def f(x: f32[3,5]): y = aten.new_empty_strided(x, [3, 5], [1, 3]); z = aten.copy_(y, x); return y",
    "def f(x: f16[7]): y = aten.new_empty_strided(x, [65], [2]); z = aten.fill_.Scalar(y, 3); return y",
};

}  // namespace

#define CREATION(name, text, lowering, test) \
  constinit const OpRow op_##name{           \
      .id = #name, .summary = text, .family = OpFamily::creation, .lower = lowering, .samples = test};

CREATION(empty, "undefined elements", lower_empty, kEmptySamples)
CREATION(empty_strided, "undefined elements, with strides", lower_empty_strided, kEmptyStridedSamples)
CREATION(empty_permuted, "undefined elements, with an order of dims", lower_empty_permuted, kEmptyPermutedSamples)
CREATION(empty_like, "undefined elements, in a tensor's sizes", lower_empty_like, kEmptyLikeSamples)
CREATION(new_empty, "undefined elements, in a tensor's dtype", lower_empty, kNewEmptySamples)
CREATION(new_empty_strided, "undefined elements, in a tensor's dtype, with strides", lower_empty_strided,
         kNewEmptyStridedSamples)

#undef CREATION

}  // namespace faultline
