// How eager PyTorch lays out the tensors it makes: results must have the same strides, or a later view would mean
// another thing. Established by observation of torch 2.13 on CPU.
#pragma once

#include <optional>
#include <span>

#include "runtime/ir/tensor.h"

namespace faultline {

// A pointwise result over operands that broadcast to `sizes`: dims sorted as the operands' strides say, dense. A number
// that eager wraps counts as an operand without dims.
Sizes pointwise_strides(const Sizes& sizes, std::span<const TensorType> operands);
// empty_like, clone and casts: dense tensors keep their strides, others keep the order of their dims.
Sizes preserved_strides(const TensorType& type);
// The tensor cast to a dtype, which is itself where it has it already.
TensorType cast_type(const TensorType& type, DType dtype);
// Some order of the dims has no gaps and no overlap.
bool is_dense(const TensorType& type);
bool is_channels_last(const TensorType& type);
// The strides lie in the order of channels last, with or without gaps; a tensor that could be either is row-major.
bool suggests_channels_last(const TensorType& type);
// The strides of results that follow the operand's memory format.
Sizes suggested_strides(const TensorType& like, const Sizes& sizes);
Sizes channels_last_strides(const Sizes& sizes);
// Of the tensor expanded to `sizes`: repeated dims have the stride 0, and so have all of a tensor that had no dims. A
// new dim of size 1 has the stride that the dim behind it implies.
Sizes expanded_strides(const TensorType& from, const Sizes& sizes);
// The strides under which a view shows the same elements in other sizes, if there are any.
std::optional<Sizes> view_strides(const TensorType& type, const Sizes& sizes);

}  // namespace faultline
