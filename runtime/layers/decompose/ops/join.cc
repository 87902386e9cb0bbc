// Tensors put one behind another. Results are row-major, or channels-last where every operand is.
#include <algorithm>

#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

std::vector<TensorValue> tensors_argument(const BoundCall& call) {
  std::vector<TensorValue> tensors;
  for (const std::optional<TensorValue>& tensor : call.tensors("tensors")) {
    if (!tensor) call.reject("no tensor in the list");
    tensors.push_back(*tensor);
  }
  if (tensors.empty()) call.reject("an empty list");
  return tensors;
}

DType common_type(const std::vector<TensorValue>& tensors) {
  std::vector<Operand> operands;
  for (const TensorValue& tensor : tensors) operands.push_back(tensor_operand(tensor));
  return result_type(operands);
}

Sizes joined_strides(const std::vector<TensorValue>& tensors, const Sizes& sizes) {
  const bool channels_last = std::all_of(tensors.begin(), tensors.end(),
                                         [](const TensorValue& tensor) { return suggests_channels_last(tensor.type); });
  return channels_last ? channels_last_strides(sizes) : contiguous_strides(sizes);
}

// An old custom lets empty vectors join tensors of any rank; they count for the dtype and the strides only.
std::vector<TensorValue> without_empty_vectors(const std::vector<TensorValue>& tensors) {
  std::vector<TensorValue> kept;
  for (const TensorValue& tensor : tensors)
    if (tensor.type.sizes != Sizes{0}) kept.push_back(tensor);
  return kept.empty() ? std::vector<TensorValue>{tensors[0]} : kept;
}

TensorValue joined(Builder& builder, const BoundCall& call, const std::vector<TensorValue>& tensors, int dim) {
  const DType dtype = common_type(tensors);
  const std::vector<TensorValue> kept = without_empty_vectors(tensors);
  std::vector<int> nodes;
  for (const TensorValue& tensor : kept) {
    Sizes sizes = tensor.type.sizes;
    if (rank_of(tensor) != rank_of(kept[0])) call.reject("tensors of several ranks");
    sizes[dim] = kept[0].type.sizes[dim];
    if (sizes != kept[0].type.sizes) call.reject("sizes that differ in other dims");
    nodes.push_back(builder.cast(builder.read(tensor), dtype));
  }
  const int node = builder.concat(nodes, dim);
  // The vectors that are left out count for the strides as they do for the dtype.
  return builder.fresh(node, joined_strides(tensors, builder.sizes(node)));
}

Lowered lower_cat(Builder& builder, const BoundCall& call) {
  const std::vector<TensorValue> tensors = tensors_argument(call);
  for (const TensorValue& tensor : tensors)
    if (rank_of(tensor) == 0) call.reject("a tensor without dims");
  return {joined(builder, call, tensors, call.dim("dim", rank_of(without_empty_vectors(tensors)[0])))};
}

// Eager joins along the dim and splits it afterwards, so the strides are those of the join; behind the last dim the
// tensors get theirs first.
Lowered lower_stack(Builder& builder, const BoundCall& call) {
  std::vector<TensorValue> tensors = tensors_argument(call);
  const Sizes sizes = tensors[0].type.sizes;
  for (const TensorValue& tensor : tensors)
    if (tensor.type.sizes != sizes) call.reject("tensors of several sizes");
  const int rank = static_cast<int>(sizes.size()), dim = call.dim("dim", rank + 1);
  if (dim == rank) {
    for (TensorValue& tensor : tensors) tensor = with_dim(builder, tensor, dim);
    return {joined(builder, call, tensors, dim)};
  }
  Sizes split = sizes;
  split.insert(split.begin() + dim, static_cast<int64_t>(tensors.size()));
  const DType dtype = common_type(tensors);
  std::vector<int> nodes;
  for (const TensorValue& tensor : tensors) nodes.push_back(builder.cast(builder.read(tensor), dtype));
  const int node = builder.concat(nodes, dim);
  const TensorType flat{dtype, builder.sizes(node), joined_strides(tensors, builder.sizes(node)), 0};
  return {builder.fresh(builder.reshape(node, split), view_strides(flat, split).value_or(contiguous_strides(split)))};
}

constexpr std::string_view kCatSamples[] = {
    "def f(x: f32[65], y: f32[3]): z = aten.cat([x, y, x]); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f32[3,2]): z = aten.cat([x, y], -1); return z",
    "def f(x: f32[2,3,4,5]{stride=60,1,15,3}): z = aten.cat([x, x], 1); return z",
    "def f(x: f32[2,3,4,5]{stride=120,2,30,6}, y: f32[2,1,4,5]{stride=20,1,5,1}): z = aten.cat([x, y], 1); return z",
    "def f(x: f32[2,3,4,5]{stride=120,2,30,6}, y: f32[2,1,4,5]): z = aten.cat([x, y], 1); return z",
    "def f(x: i32[3], y: u8[2], e: i64[0]): z = aten.cat([x, y, e]); return z",
    "def f(x: f32[2,3], e: f32[0]): z = aten.cat([e, x]); return z",
    "def f(x: bool[5]): y = aten.cat([x]); z = aten.logical_not_(y); return z",
};
constexpr std::string_view kStackSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.stack([x, y]); return z",
    "def f(x: f16[3,5]{stride=1,3}, y: f16[3,5]): z = aten.stack([x, y], -1); return z",
    "def f(x: f32[2,3,4,5]{stride=60,1,15,3}): z = aten.stack([x, x], 1); return z",
    "def f(x: f32[], y: i64[]): z = aten.stack([x, y, x]); return z",
};
constexpr std::string_view kCatNames[] = {"concat", "concatenate"};

}  // namespace

constinit const OpRow op_cat{.id = "cat",
                             .summary = "tensors one behind another along a dim",
                             .family = OpFamily::movement,
                             .synonyms = kCatNames,
                             .lower = lower_cat,
                             .samples = kCatSamples};
constinit const OpRow op_stack{.id = "stack",
                               .summary = "tensors one behind another along a new dim",
                               .family = OpFamily::movement,
                               .lower = lower_stack,
                               .samples = kStackSamples};

}  // namespace faultline
