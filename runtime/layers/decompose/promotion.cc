// Result types by rank and kind of the operands, and numbers as literals of a dtype.
#include "runtime/layers/decompose/promotion.h"

#include <cmath>

namespace faultline {
namespace {

enum Kind { boolean_kind, integer_kind, float_kind };

Kind kind_of(DType dtype) {
  if (is_float(dtype)) return float_kind;
  return dtype == DType::boolean ? boolean_kind : integer_kind;
}

std::optional<DType> join(std::optional<DType> a, std::optional<DType> b) {
  if (!a || !b) return a ? a : b;
  return promote(*a, *b);
}

// The higher rank decides, unless the lower has a higher kind.
std::optional<DType> prefer(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher || !lower) return higher ? higher : lower;
  if (kind_of(*lower) <= kind_of(*higher)) return higher;
  return promote(*higher, *lower);
}

DType number_type(const Scalar& scalar) {
  if (std::holds_alternative<double>(scalar)) return DType::f32;  // the default float
  return std::holds_alternative<bool>(scalar) ? DType::boolean : DType::i64;
}

}  // namespace

DType result_type(std::span<const Operand> operands) {
  std::optional<DType> with_dims, without_dims, numbers;
  for (const Operand& operand : operands) {
    if (!operand.tensor)
      numbers = join(numbers, number_type(operand.scalar));
    else if (operand.tensor->type.sizes.empty())
      without_dims = join(without_dims, operand.tensor->type.dtype);
    else
      with_dims = join(with_dims, operand.tensor->type.dtype);
  }
  return *prefer(with_dims, prefer(without_dims, numbers));
}

bool can_cast(DType from, DType to) { return kind_of(from) <= kind_of(to); }

Literal scalar_literal(const Scalar& scalar, DType dtype) {
  const auto* integer = std::get_if<int64_t>(&scalar);
  if (is_float(dtype)) return real_literal(to_real(scalar), dtype);
  if (dtype == DType::boolean) return integer_literal(to_real(scalar) != 0, dtype);
  return integer_literal(integer ? *integer : static_cast<int64_t>(to_real(scalar)), dtype);
}

int operand_node(Builder& builder, const Operand& operand, DType dtype) {
  if (!operand.tensor) return builder.literal(scalar_literal(operand.scalar, dtype));
  return builder.cast(builder.read(*operand.tensor), dtype);
}

Operand tensor_operand(const TensorValue& tensor) { return {tensor, int64_t{0}}; }

}  // namespace faultline
