// What the rows of pointwise ops have in common: operands promoted to one dtype, and a result laid out as eager's.
#pragma once

#include <initializer_list>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/promotion.h"

namespace faultline {

// The node as a fresh tensor with the strides of a pointwise result over the operands, numbers among them.
TensorValue pointwise_result(Builder& builder, int node, std::initializer_list<Operand> operands);
// The same of operands that are computed in one dtype: eager casts the others to tensors of their own first, and those
// have the strides that count.
TensorValue pointwise_result(Builder& builder, int node, DType computed, std::initializer_list<Operand> operands);
// The node as a fresh tensor with the strides that empty_like gives.
TensorValue like_result(Builder& builder, int node, const TensorValue& like);

// op(x) in x's own dtype.
template <Function function>
Lowered lower_unary(Builder& builder, const BoundCall& call) {
  const Operand x = call.operand("self");
  const int node = builder.apply(function, {operand_node(builder, x, result_type({x}))});
  return {pointwise_result(builder, node, {x})};
}

// op(x) of a float: integers are cast first.
template <Function function>
Lowered lower_float_unary(Builder& builder, const BoundCall& call) {
  const Operand x = call.operand("self");
  const DType dtype = float_type(result_type({x}));
  return {pointwise_result(builder, builder.apply(function, {operand_node(builder, x, dtype)}), dtype, {x})};
}

// A formula of one float operand: int formula(Builder&, int x).
template <auto formula>
Lowered lower_float_formula(Builder& builder, const BoundCall& call) {
  const Operand x = call.operand("self");
  const DType dtype = float_type(result_type({x}));
  return {pointwise_result(builder, formula(builder, operand_node(builder, x, dtype)), dtype, {x})};
}

// Two operands in their common dtype.
struct Pair {
  Operand left, right;
  DType dtype;
  int a, b;
};
Pair common_pair(Builder& builder, const Operand& left, const Operand& right);
Pair common_pair(Builder& builder, const Operand& left, const Operand& right, DType dtype);
TensorValue pair_result(Builder& builder, int node, const Pair& pair);

template <Function function>
Lowered lower_binary(Builder& builder, const BoundCall& call) {
  const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
  return {pair_result(builder, builder.apply(function, {pair.a, pair.b}), pair)};
}

// The logistic function without overflow: exp(min(x, 0)) / (1 + exp(-|x|)).
int sigmoid(Builder& builder, int x);
// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)).
int soft_plus(Builder& builder, int x);

}  // namespace faultline
