// Products of matrices and vectors. Results are row-major.
#include "runtime/layers/decompose/contraction.h"
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

void require_ranks(const BoundCall& call, std::string_view first, int first_rank, std::string_view second,
                   int second_rank) {
  const TensorType &a = call.type(first), &b = call.type(second);
  if (static_cast<int>(a.sizes.size()) != first_rank || static_cast<int>(b.sizes.size()) != second_rank)
    call.reject("operands of other ranks");
  if (a.dtype != b.dtype) call.reject("operands of two dtypes");
}

template <int rank_a, int rank_b>
Lowered lower_product(Builder& builder, const BoundCall& call) {
  const std::string_view second = call.has("mat2")     ? "mat2"
                                  : call.has("vec")    ? "vec"
                                  : call.has("vec2")   ? "vec2"
                                  : call.has("tensor") ? "tensor"
                                                       : "other";
  require_ranks(call, "self", rank_a, second, rank_b);
  if (call.has("out_dtype")) call.reject("a result of another dtype");
  return {
      builder.fresh(general_product(builder, builder.read(call.tensor("self")), builder.read(call.tensor(second))))};
}

Lowered lower_matmul(Builder& builder, const BoundCall& call) {
  const TensorValue &a = call.tensor("self"), &b = call.tensor("other");
  if (a.type.dtype != b.type.dtype) call.reject("operands of two dtypes");
  return {builder.fresh(general_product(builder, builder.read(a), builder.read(b)))};
}

// beta * self + alpha * product; a beta of 0 hides even NaN.
Lowered lower_sum_of_product(Builder& builder, const BoundCall& call, std::string_view first, std::string_view second) {
  const TensorValue &a = call.tensor(first), &b = call.tensor(second), &self = call.tensor("self");
  if (a.type.dtype != b.type.dtype || a.type.dtype != self.type.dtype) call.reject("operands of two dtypes");
  if (call.has("out_dtype")) call.reject("a result of another dtype");
  const auto scaled = [&](std::string_view factor, int node) {
    const Scalar value = call.scalar(factor);
    if (to_real(value) == 1) return node;
    return builder.apply(Function::mul, {node, builder.literal(scalar_literal(value, a.type.dtype))});
  };
  const int product = scaled("alpha", general_product(builder, builder.read(a), builder.read(b)));
  if (call.real("beta") == 0) return {builder.fresh(product)};
  const int sum = builder.apply(Function::add, {scaled("beta", builder.read(self)), product});
  if (builder.sizes(sum) != builder.sizes(product)) call.reject("self does not expand to the product");
  return {builder.fresh(sum)};
}

Lowered lower_addmm(Builder& builder, const BoundCall& call) {
  require_ranks(call, "mat1", 2, "mat2", 2);
  return lower_sum_of_product(builder, call, "mat1", "mat2");
}
Lowered lower_addmv(Builder& builder, const BoundCall& call) {
  require_ranks(call, "mat", 2, "vec", 1);
  return lower_sum_of_product(builder, call, "mat", "vec");
}
Lowered lower_baddbmm(Builder& builder, const BoundCall& call) {
  require_ranks(call, "batch1", 3, "batch2", 3);
  return lower_sum_of_product(builder, call, "batch1", "batch2");
}

Lowered lower_linear(Builder& builder, const BoundCall& call) {
  const TensorValue &input = call.tensor("input"), &weight = call.tensor("weight");
  if (input.type.dtype != weight.type.dtype) call.reject("operands of two dtypes");
  int w = builder.read(weight);
  if (builder.rank(w) == 2) w = builder.transpose(w, 0, 1);
  int node = general_product(builder, builder.read(input), w);
  if (const auto bias = call.optional_tensor("bias")) node = builder.apply(Function::add, {node, builder.read(*bias)});
  return {builder.fresh(node)};
}

Lowered lower_outer(Builder& builder, const BoundCall& call) {
  const Operand left = call.operand("self"), right = call.operand("vec2");
  const DType dtype = result_type({left, right});
  const int column = builder.insert_dim(operand_node(builder, left, dtype), 1);
  // Eager multiplies a view [n, 1] of the one with the other.
  TensorType standing{left.tensor->type.dtype, builder.sizes(column), {}, 0};
  standing.strides = view_strides(left.tensor->type, standing.sizes).value_or(contiguous_strides(standing.sizes));
  const Function product = dtype == DType::boolean ? Function::bitwise_and : Function::mul;
  const int node = builder.apply(product, {column, operand_node(builder, right, dtype)});
  const TensorType operands[] = {cast_type(standing, dtype), cast_type(right.tensor->type, dtype)};
  return {builder.fresh(node, pointwise_strides(builder.sizes(node), operands))};
}

constexpr std::string_view kMmSamples[] = {
    "def f(x: f32[3,5], y: f32[5,7]): z = aten.mm(x, y); return z",
    "def f(x: f16[3,65]{stride=1,3}, y: f16[65,2]): z = aten.mm(x, y); return z",
    "def f(x: i64[3,5], y: i64[5,1]): z = aten.mm(x, y); return z",
};
constexpr std::string_view kBmmSamples[] = {
    "def f(x: f32[2,3,5], y: f32[2,5,7]): z = aten.bmm(x, y); return z",
    "def f(x: f16[2,3,65], y: f16[2,65,2]{stride=130,1,65}): z = aten.bmm(x, y); return z",
};
constexpr std::string_view kMatmulSamples[] = {
    "def f(x: f32[3,5], y: f32[5,7]): z = aten.matmul(x, y); return z",
    "def f(x: f16[2,1,3,5], y: f16[4,5,7]): z = aten.matmul(x, y); return z",
    "def f(x: f32[2,3,5], y: f32[5]): z = aten.matmul(x, y); return z",
    "def f(x: f32[5], y: f32[2,5,3]): z = aten.matmul(x, y); return z",
    "def f(x: f32[65], y: f32[65]): z = aten.matmul(x, y); return z",
};
constexpr std::string_view kMvSamples[] = {
    "def f(x: f32[3,5], y: f32[5]): z = aten.mv(x, y); return z",
    "def f(x: f16[3,65]{stride=1,3}, y: f16[65]): z = aten.mv(x, y); return z",
};
constexpr std::string_view kDotSamples[] = {
    "def f(x: f32[65], y: f32[65]): z = aten.dot(x, y); return z",
    "def f(x: i64[7], y: i64[7]): z = aten.dot(x, y); return z",
};
constexpr std::string_view kAddmmSamples[] = {
    "def f(b: f32[7], x: f32[3,5], y: f32[5,7]): z = aten.addmm(b, x, y); return z",
    "def f(b: f16[3,1], x: f16[3,65], y: f16[65,2]{stride=1,65}): z = aten.addmm(b, x, y, beta = 0.5, alpha = 2); "
    "return z",
    "def f(b: f32[3,7], x: f32[3,5], y: f32[5,7]): z = aten.addmm_(b, x, y, beta = 0); return z",
};
constexpr std::string_view kAddmvSamples[] = {
    "def f(b: f32[3], x: f32[3,5], y: f32[5]): z = aten.addmv(b, x, y); return z",
    "def f(b: f16[], x: f16[3,65], y: f16[65]): z = aten.addmv(b, x, y, beta = 2); return z",
};
constexpr std::string_view kBaddbmmSamples[] = {
    "def f(b: f32[2,3,7], x: f32[2,3,5], y: f32[2,5,7]): z = aten.baddbmm(b, x, y); return z",
    "def f(b: f16[7], x: f16[2,3,65], y: f16[2,65,7]): z = aten.baddbmm(b, x, y, alpha = 0.5); return z",
};
constexpr std::string_view kLinearSamples[] = {
    "def f(x: f32[3,5], w: f32[7,5], b: f32[7]): y = aten.linear(x, w, b); return y",
    "def f(x: f16[2,3,65], w: f16[2,65]): y = aten.linear(x, w); return y",
    "def f(x: f32[5], w: f32[7,5], b: f32[7]): y = aten.linear(x, w, b); return y",
};
constexpr std::string_view kOuterSamples[] = {
    "def f(x: f32[65], y: f32[3]): z = aten.outer(x, y); return z",
    "def f(x: f16[5], y: i32[3]): z = aten.outer(x, y); return z",
};
constexpr std::string_view kOuterNames[] = {"ger"};
constexpr std::string_view kDotNames[] = {"vdot"};

}  // namespace

#define CONTRACTION(name, text, names, lowering, test)             \
  constinit const OpRow op_##name{.id = #name,                     \
                                  .summary = text,                 \
                                  .family = OpFamily::contraction, \
                                  .synonyms = names,               \
                                  .lower = lowering,               \
                                  .samples = test};

CONTRACTION(mm, "matrix times matrix", {}, (lower_product<2, 2>), kMmSamples)
CONTRACTION(bmm, "a batch of matrix products", {}, (lower_product<3, 3>), kBmmSamples)
CONTRACTION(mv, "matrix times vector", {}, (lower_product<2, 1>), kMvSamples)
CONTRACTION(dot, "vector times vector", kDotNames, (lower_product<1, 1>), kDotSamples)
CONTRACTION(matmul, "the product of any two ranks", {}, lower_matmul, kMatmulSamples)
CONTRACTION(addmm, "beta * self + alpha * matrix product", {}, lower_addmm, kAddmmSamples)
CONTRACTION(addmv, "beta * self + alpha * matrix times vector", {}, lower_addmv, kAddmvSamples)
CONTRACTION(baddbmm, "beta * self + alpha * batch of products", {}, lower_baddbmm, kBaddbmmSamples)
CONTRACTION(linear, "input times the transposed weight, plus bias", {}, lower_linear, kLinearSamples)
CONTRACTION(outer, "every product of two vectors", kOuterNames, lower_outer, kOuterSamples)

#undef CONTRACTION

}  // namespace faultline
