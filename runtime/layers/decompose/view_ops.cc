// Each view op as steps of movement together with the strides and offset that eager's result has.
#include "runtime/layers/decompose/view_ops.h"

#include <algorithm>
#include <numeric>

#include "runtime/layers/decompose/strides.h"

namespace faultline {

TensorValue permuted(const Builder& builder, const TensorValue& tensor, const std::vector<int64_t>& axes) {
  TensorType type = tensor.type;
  bool identity = true;
  for (size_t d = 0; d < axes.size(); ++d) {
    type.sizes[d] = tensor.type.sizes[axes[d]];
    type.strides[d] = tensor.type.strides[axes[d]];
    identity = identity && axes[d] == static_cast<int64_t>(d);
  }
  if (identity) return tensor;
  return builder.view(tensor, {permute_step(tensor.type.sizes, axes)}, std::move(type));
}

TensorValue transposed(const Builder& builder, const TensorValue& tensor, int first, int second) {
  std::vector<int64_t> axes(tensor.type.sizes.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (!axes.empty()) std::swap(axes[first], axes[second]);
  return permuted(builder, tensor, axes);
}

TensorValue sliced(const Builder& builder, const TensorValue& tensor, int dim, int64_t start, int64_t count,
                   int64_t step) {
  TensorType type = tensor.type;
  type.offset += start * type.strides[dim];
  type.sizes[dim] = count;
  type.strides[dim] *= step;
  std::vector<ViewStep> steps;
  if (type.sizes != tensor.type.sizes) steps.push_back(slice_step(tensor.type.sizes, dim, start, count, step));
  return builder.view(tensor, std::move(steps), std::move(type));
}

TensorValue selected(const Builder& builder, const TensorValue& tensor, int dim, int64_t index) {
  return without_dims(builder, sliced(builder, tensor, dim, index, 1, 1), {dim});
}

TensorValue with_dim(const Builder& builder, const TensorValue& tensor, int dim) {
  TensorType type = tensor.type;
  const bool last = dim == static_cast<int>(type.sizes.size());
  const int64_t stride = last ? 1 : type.sizes[dim] * type.strides[dim];
  type.sizes.insert(type.sizes.begin() + dim, 1);
  type.strides.insert(type.strides.begin() + dim, stride);
  const ViewStep step = reshape_step(tensor.type.sizes, type.sizes);
  return builder.view(tensor, {step}, std::move(type));
}

TensorValue without_dims(const Builder& builder, const TensorValue& tensor, const std::vector<int64_t>& dims) {
  TensorType type = tensor.type;
  for (size_t k = dims.size(); k-- > 0;) {
    type.sizes.erase(type.sizes.begin() + dims[k]);
    type.strides.erase(type.strides.begin() + dims[k]);
  }
  const ViewStep step = reshape_step(tensor.type.sizes, type.sizes);
  return builder.view(tensor, {step}, std::move(type));
}

TensorValue expanded(const Builder& builder, const TensorValue& tensor, const Sizes& sizes) {
  TensorType type = tensor.type;
  type.strides = expanded_strides(type, sizes);
  type.sizes = sizes;
  std::vector<ViewStep> steps;
  if (element_count(sizes) == element_count(tensor.type.sizes))
    steps.push_back(reshape_step(tensor.type.sizes, sizes));
  else
    steps.push_back(expand_step(tensor.type.sizes, sizes));
  return builder.view(tensor, std::move(steps), std::move(type));
}

std::optional<TensorValue> viewed(const Builder& builder, const TensorValue& tensor, const Sizes& sizes) {
  const std::optional<Sizes> strides = view_strides(tensor.type, sizes);
  if (!strides) return std::nullopt;
  return builder.view(tensor, {reshape_step(tensor.type.sizes, sizes)},
                      {tensor.type.dtype, sizes, *strides, tensor.type.offset});
}

TensorValue reshaped(Builder& builder, const TensorValue& tensor, const Sizes& sizes) {
  if (const auto view = viewed(builder, tensor, sizes)) return *view;
  return builder.fresh(builder.reshape(builder.read(tensor), sizes));
}

std::optional<Sizes> inferred_sizes(Sizes sizes, int64_t elements) {
  int64_t known = 1;
  int unknown = -1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && unknown < 0)
      unknown = static_cast<int>(d);
    else if (sizes[d] < 0)
      return std::nullopt;
    else
      known *= sizes[d];
  }
  if (unknown < 0) return known == elements ? std::optional(sizes) : std::nullopt;
  if (known == 0 || elements % known != 0) return std::nullopt;
  sizes[unknown] = elements / known;
  return sizes;
}

}  // namespace faultline
