// PyTorch's result types: tensors with dims count before tensors without, those before Python numbers; within a rank
// torch's promotion table. A number of a higher kind (float over integer) still lifts the result.
#pragma once

#include <span>

#include "runtime/layers/decompose/bound_call.h"

namespace faultline {

DType result_type(std::span<const Operand> operands);
inline DType result_type(std::initializer_list<Operand> operands) {
  return result_type(std::span<const Operand>(operands.begin(), operands.size()));
}
// The dtype of true division and of transcendental functions: integers and bools become the default float.
inline DType float_type(DType dtype) { return is_float(dtype) ? dtype : DType::f32; }
// torch.can_cast: what an in-place op may do to its result.
bool can_cast(DType from, DType to);

Literal scalar_literal(const Scalar& scalar, DType dtype);
// The operand in a dtype, as a node: a read tensor, or a literal of no dims.
int operand_node(Builder& builder, const Operand& operand, DType dtype);

Operand tensor_operand(const TensorValue& tensor);

}  // namespace faultline
