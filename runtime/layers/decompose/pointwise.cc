// Operands brought to one dtype, results laid out as eager's, and two curves written so that they do not overflow.
#include "runtime/layers/decompose/pointwise.h"

#include "runtime/layers/decompose/strides.h"

namespace faultline {

TensorValue pointwise_result(Builder& builder, int node, std::initializer_list<Operand> operands) {
  std::vector<TensorType> types;
  for (const Operand& operand : operands) types.push_back(operand.tensor ? operand.tensor->type : TensorType{});
  return builder.fresh(node, pointwise_strides(builder.sizes(node), types));
}

TensorValue pointwise_result(Builder& builder, int node, DType computed, std::initializer_list<Operand> operands) {
  std::vector<TensorType> types;
  for (const Operand& operand : operands)
    types.push_back(operand.tensor ? cast_type(operand.tensor->type, computed) : TensorType{});
  return builder.fresh(node, pointwise_strides(builder.sizes(node), types));
}

TensorValue pair_result(Builder& builder, int node, const Pair& pair) {
  return pointwise_result(builder, node, pair.dtype, {pair.left, pair.right});
}

TensorValue like_result(Builder& builder, int node, const TensorValue& like) {
  return builder.fresh(node, preserved_strides(like.type));
}

Pair common_pair(Builder& builder, const Operand& left, const Operand& right, DType dtype) {
  const int a = operand_node(builder, left, dtype);
  const int b = operand_node(builder, right, dtype);
  return {left, right, dtype, a, b};
}

Pair common_pair(Builder& builder, const Operand& left, const Operand& right) {
  return common_pair(builder, left, right, result_type({left, right}));
}

int sigmoid(Builder& builder, int x) {
  const int size = builder.apply(Function::abs, {x});
  const int decay = builder.apply(Function::exp, {builder.apply(Function::neg, {size})});
  const int numerator = builder.apply(Function::exp, {builder.with(Function::minimum, x, 0)});
  return builder.apply(Function::div, {numerator, builder.with(Function::add, decay, 1)});
}

int soft_plus(Builder& builder, int x) {
  const int size = builder.apply(Function::abs, {x});
  const int decay = builder.apply(Function::exp, {builder.apply(Function::neg, {size})});
  return builder.apply(Function::add, {builder.with(Function::maximum, x, 0), builder.apply(Function::log1p, {decay})});
}

}  // namespace faultline
