// Views of tensors with the strides that eager gives them.
#pragma once

#include <optional>

#include "runtime/layers/decompose/builder.h"

namespace faultline {

inline int rank_of(const TensorValue& tensor) { return static_cast<int>(tensor.type.sizes.size()); }

TensorValue permuted(const Builder& builder, const TensorValue& tensor, const std::vector<int64_t>& axes);
TensorValue transposed(const Builder& builder, const TensorValue& tensor, int first, int second);
TensorValue sliced(const Builder& builder, const TensorValue& tensor, int dim, int64_t start, int64_t count,
                   int64_t step);
// The dim goes.
TensorValue selected(const Builder& builder, const TensorValue& tensor, int dim, int64_t index);
TensorValue with_dim(const Builder& builder, const TensorValue& tensor, int dim);
TensorValue without_dims(const Builder& builder, const TensorValue& tensor, const std::vector<int64_t>& dims);
// Dims may be new in front or grow from size 1.
TensorValue expanded(const Builder& builder, const TensorValue& tensor, const Sizes& sizes);
// The tensor in other sizes without a copy, where its strides allow.
std::optional<TensorValue> viewed(const Builder& builder, const TensorValue& tensor, const Sizes& sizes);
// As a view where possible, else a copy.
TensorValue reshaped(Builder& builder, const TensorValue& tensor, const Sizes& sizes);

// `sizes` with its -1 worked out; nothing if the elements do not fit.
std::optional<Sizes> inferred_sizes(Sizes sizes, int64_t elements);

}  // namespace faultline
