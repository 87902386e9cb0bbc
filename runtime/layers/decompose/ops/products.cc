// Products that are made of the one contraction there is: einsum, tensordot, kron and addbmm.
#include <algorithm>
#include <numeric>

#include "runtime/layers/decompose/contraction.h"
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

int64_t count_of(const Builder& builder, int node, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= builder.size(node, static_cast<int>(dim));
  return count;
}

std::vector<int64_t> other_dims(int rank, const std::vector<int64_t>& dims) {
  std::vector<int64_t> rest;
  for (int64_t d = 0; d < rank; ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) rest.push_back(d);
  return rest;
}

std::vector<int64_t> joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Lowered lower_tensordot(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &other = call.tensor("other");
  if (self.type.dtype != other.type.dtype) call.reject("operands of two dtypes");
  const auto dims_of = [&](std::string_view argument, int rank) {
    std::vector<int64_t> dims = call.integers(argument);
    for (int64_t& dim : dims) {
      dim = rank == 0 ? -1 : wrap_dim(dim, rank);
      if (dim < 0) call.reject("a dim out of range");
    }
    return dims;
  };
  const std::vector<int64_t> left = dims_of("dims_self", rank_of(self)), right = dims_of("dims_other", rank_of(other));
  if (left.size() != right.size()) call.reject("other dims on both sides");
  const int a = builder.read(self), b = builder.read(other);
  for (size_t k = 0; k < left.size(); ++k)
    if (self.type.sizes[left[k]] != other.type.sizes[right[k]]) call.reject("dims of two sizes");
  const std::vector<int64_t> rows = other_dims(rank_of(self), left), columns = other_dims(rank_of(other), right);
  const int64_t depth = count_of(builder, a, left);
  const int x = builder.reshape(builder.permute(a, joined(rows, left)), {count_of(builder, a, rows), depth});
  const int y = builder.reshape(builder.permute(b, joined(right, columns)), {depth, count_of(builder, b, columns)});
  Sizes sizes;
  for (const int64_t dim : rows) sizes.push_back(self.type.sizes[dim]);
  for (const int64_t dim : columns) sizes.push_back(other.type.sizes[dim]);
  return {builder.fresh(builder.reshape(matrix_product(builder, x, y), sizes))};
}

// Every product of an element of the one with one of the other, each a block of the size of the second.
Lowered lower_kron(Builder& builder, const BoundCall& call) {
  const Operand left = call.operand("self"), right = call.operand("other");
  if (!is_contiguous(left.tensor->type) || !is_contiguous(right.tensor->type)) call.reject("an operand with strides");
  const DType dtype = result_type({left, right});
  const int rank = std::max(rank_of(*left.tensor), rank_of(*right.tensor));
  const auto padded = [&](const TensorValue& tensor) {
    Sizes sizes(static_cast<size_t>(rank - rank_of(tensor)), 1);
    sizes.insert(sizes.end(), tensor.type.sizes.begin(), tensor.type.sizes.end());
    return sizes;
  };
  const Sizes outer = padded(*left.tensor), inner = padded(*right.tensor);
  Sizes a, b, sizes;
  for (int d = 0; d < rank; ++d) {
    a.insert(a.end(), {outer[d], 1});
    b.insert(b.end(), {1, inner[d]});
    sizes.push_back(outer[d] * inner[d]);
  }
  const Function product = dtype == DType::boolean ? Function::bitwise_and : Function::mul;
  const int node = builder.apply(product, {builder.reshape(operand_node(builder, left, dtype), a),
                                           builder.reshape(operand_node(builder, right, dtype), b)});
  return {builder.fresh(builder.reshape(node, sizes))};
}

// beta * self + alpha * the sum of a batch of products. Eager adds one product after the other to the result.
Lowered lower_addbmm(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &a = call.tensor("batch1"), &b = call.tensor("batch2");
  if (rank_of(a) != 3 || rank_of(b) != 3) call.reject("operands of other ranks");
  const DType dtype = self.type.dtype;
  if (a.type.dtype != dtype || b.type.dtype != dtype) call.reject("operands of two dtypes");
  const auto scaled = [&](std::string_view factor, int node) {
    const Scalar value = call.scalar(factor);
    if (to_real(value) == 1) return node;
    return builder.apply(Function::mul, {node, builder.literal(scalar_literal(value, dtype))});
  };
  const int products = scaled("alpha", general_product(builder, builder.read(a), builder.read(b)));
  Sizes sizes = builder.sizes(products);
  sizes[0] = 1;
  if (sizes.size() != 3 || rank_of(self) > 2) call.reject("self does not expand to the product");
  if (call.real("beta") == 0) return {builder.fresh(builder.reduce(Reduction::sum, products, {0}, false))};
  const int first = builder.expand(scaled("beta", builder.read(self)), sizes);
  const int terms[] = {first, products};
  return {builder.fresh(builder.reduce(Reduction::sum, builder.concat(terms, 0), {0}, false))};
}

// One factor: a node, and the letter of each of its dims.
struct Factor {
  int node;
  std::string letters;
};

std::vector<int64_t> places_of(const Factor& factor, const std::string& letters) {
  std::vector<int64_t> dims;
  for (const char letter : letters)
    if (const size_t at = factor.letters.find(letter); at != std::string::npos)
      dims.push_back(static_cast<int64_t>(at));
  return dims;
}

std::string letters_where(const std::string& letters, auto holds) {
  std::string result;
  std::copy_if(letters.begin(), letters.end(), std::back_inserter(result), holds);
  return result;
}

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

Factor without(Builder& builder, const Factor& factor, const std::string& kept) {
  const std::string gone = letters_where(factor.letters, [&](char letter) { return !has(kept, letter); });
  return {builder.reduce(Reduction::sum, factor.node, places_of(factor, gone), false),
          letters_where(factor.letters, [&](char letter) { return has(kept, letter); })};
}

// Of a plain matrix product eager exchanges the factors where the result is wanted transposed.
bool exchanges(const Factor& left, const Factor& right, const std::string& kept) {
  const auto only = [&](const Factor& mine, const Factor& other) {
    return letters_where(kept, [&](char c) { return has(mine.letters, c) && !has(other.letters, c); });
  };
  const std::string rows = only(left, right), columns = only(right, left);
  std::string gone = letters_where(left.letters + right.letters, [&](char c) { return !has(kept, c); });
  std::sort(gone.begin(), gone.end());
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  return rows.size() == 1 && columns.size() == 1 && gone.size() == 1 && kept.find(columns) < kept.find(rows);
}

// As eager does it: letters of both that stay are a batch, and come before those of the left and of the right. `kept`
// is in the order of the result.
Factor product_of(Builder& builder, Factor left, Factor right, const std::string& kept) {
  if (exchanges(left, right, kept)) std::swap(left, right);
  left = without(builder, left, kept + right.letters);
  right = without(builder, right, kept + left.letters);
  const auto split = [&](bool in_left, bool in_right, bool stays) {
    return letters_where(stays ? kept : left.letters, [&](char letter) {
      return has(left.letters, letter) == in_left && has(right.letters, letter) == in_right &&
             has(kept, letter) == stays;
    });
  };
  const std::string batch = split(true, true, true), rows = split(true, false, true),
                    columns = split(false, true, true), depth = split(true, true, false);
  const auto shaped = [&](const Factor& factor, const std::string& second, const std::string& third) {
    const std::vector<int64_t> a = places_of(factor, batch), b = places_of(factor, second),
                               c = places_of(factor, third);
    return builder.reshape(
        builder.permute(factor.node, joined(joined(a, b), c)),
        {count_of(builder, factor.node, a), count_of(builder, factor.node, b), count_of(builder, factor.node, c)});
  };
  const int product = builder.dot(shaped(left, rows, depth), shaped(right, depth, columns));
  Sizes sizes;
  const std::string letters = batch + rows + columns;
  for (const char letter : letters) {
    const Factor& from = has(left.letters, letter) ? left : right;
    sizes.push_back(builder.size(from.node, static_cast<int>(from.letters.find(letter))));
  }
  return {builder.reshape(product, sizes), letters};
}

// "ij,jk->ik" without blanks; an absent right side is the letters that appear once, in alphabetical order.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

Equation equation_of(const BoundCall& call) {
  const std::string text = letters_where(call.word("equation"), [](char c) { return c != ' '; });
  Equation equation;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  equation.operands.emplace_back();
  for (const char c : left) {
    if (c == ',') {
      equation.operands.emplace_back();
      continue;
    }
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter || has(equation.operands.back(), c)) call.reject("an equation with dots or a repeated letter");
    equation.operands.back() += c;
  }
  if (arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
    return equation;
  }
  std::string letters =
      letters_where(left, [&](char c) { return c != ',' && std::count(left.begin(), left.end(), c) == 1; });
  std::sort(letters.begin(), letters.end());
  equation.result = letters;
  return equation;
}

Lowered lower_einsum(Builder& builder, const BoundCall& call) {
  const Equation equation = equation_of(call);
  const auto tensors = call.tensors("tensors");
  if (tensors.size() != 2 || equation.operands.size() != 2) call.reject("other than two operands");
  if (call.given("path")) call.reject("an order of products");
  std::vector<Factor> factors;
  for (size_t k = 0; k < 2; ++k) {
    if (!tensors[k] || tensors[k]->type.sizes.size() != equation.operands[k].size())
      call.reject("an operand of another rank");
    factors.push_back({builder.read(*tensors[k]), equation.operands[k]});
  }
  const Factor &left = factors[0], &right = factors[1];
  if (builder.dtype(left.node) != builder.dtype(right.node)) call.reject("operands of two dtypes");
  bool contracts = false;
  for (size_t d = 0; d < left.letters.size(); ++d) {
    const size_t at = right.letters.find(left.letters[d]);
    if (at == std::string::npos) continue;
    contracts = contracts || !has(equation.result, left.letters[d]);
    if (builder.size(left.node, static_cast<int>(d)) != builder.size(right.node, static_cast<int>(at)))
      call.reject("a letter of two sizes");
  }
  if (!contracts) call.reject("a product that contracts nothing");
  for (const char letter : equation.result)
    if ((!has(left.letters, letter) && !has(right.letters, letter)) ||
        std::count(equation.result.begin(), equation.result.end(), letter) > 1)
      call.reject("a result with letters of its own");
  const Factor product = product_of(builder, left, right, equation.result);
  const Sizes dense = contiguous_strides(builder.sizes(product.node));
  const std::vector<int64_t> axes = places_of(product, equation.result);
  Sizes strides;
  for (const int64_t axis : axes) strides.push_back(dense[axis]);
  return {builder.fresh(builder.permute(product.node, axes), strides)};
}

constexpr std::string_view kTensordotSamples[] = {
    "def f(x: f32[2,3,4], y: f32[4,3,5]): z = aten.tensordot(x, y, [1, 2], [1, 0]); return z",
    "def f(x: f16[3,33]{stride=1,3}, y: f16[5,33]): z = aten.tensordot(x, y, [-1], [1]); return z",
    "def f(x: f32[3,2], y: f32[5]): z = aten.tensordot(x, y, [], []); return z",
    "def f(x: f32[3,2], y: f32[2,3]): z = aten.tensordot(x, y, [0, 1], [1, 0]); return z",
};
constexpr std::string_view kKronSamples[] = {
    "def f(x: f32[2,3], y: f32[5,7]): z = aten.kron(x, y); return z",
    "def f(x: f16[3], y: i32[2,5]): z = aten.kron(x, y); return z",
};
constexpr std::string_view kAddbmmSamples[] = {
    "def f(b: f32[3,7], x: f32[4,3,5], y: f32[4,5,7]): z = aten.addbmm(b, x, y); return z",
    "def f(b: f16[7], x: f16[2,3,33], y: f16[2,33,7]): z = aten.addbmm(b, x, y, beta = 0.5, alpha = 2); return z",
    "def f(b: bf16[3,7], x: bf16[5,3,5], y: bf16[5,5,7]): z = aten.addbmm_(b, x, y); return b",
    "def f(b: f32[3,7], x: f32[2,3,5], y: f32[2,5,7]): z = aten.addbmm(b, x, y, beta = 0); return z",
};
constexpr std::string_view kEinsumSamples[] = {
    "def f(x: f32[2,3,5], y: f32[2,5,7]): z = aten.einsum(\"bij,bjk->bik\", [x, y]); return z",
    "def f(x: f16[2,3,5], y: f16[5,7,2]): z = aten.einsum(\"bij,jkb->kbi\", [x, y]); return z",
    "def f(x: f32[3,5], y: f32[5,7]): z = aten.einsum(\"ij,jk\", [x, y]); return z",
    "def f(x: f32[3,5,2], y: f32[5,7]): z = aten.einsum(\"ija,jk->ki\", [x, y]); return z",
    "def f(x: f32[4,3,5], y: f32[4,5]): z = aten.einsum(\"bij, bj->bi\", [x, y]); return z",
    "def f(x: f32[2,3,5], y: f32[2,5,7]): z = aten.einsum(\"bij,bjk->ikb\", [x, y]); w = "
    "aten.einsum(\"bij,bjk->kib\", [x, y]); return z, w",
    "def f(x: f32[2,3,5], y: f32[5,7,4]): z = aten.einsum(\"aij,jkl->lika\", [x, y]); return z",
    "def f(x: f32[9], y: f32[9]): z = aten.einsum(\"i,i->\", [x, y]); return z",
};

}  // namespace

#define CONTRACTION(name, text, lowering, test) \
  constinit const OpRow op_##name{              \
      .id = #name, .summary = text, .family = OpFamily::contraction, .lower = lowering, .samples = test};

CONTRACTION(tensordot, "dims of two tensors contracted", lower_tensordot, kTensordotSamples)
CONTRACTION(kron, "every product of two tensors, in blocks", lower_kron, kKronSamples)
CONTRACTION(einsum, "a product of two tensors by the letters of their dims", lower_einsum, kEinsumSamples)

#undef CONTRACTION

constinit const OpRow op_addbmm{.id = "addbmm",
                                .summary = "beta * self + alpha * the sum of a batch of products",
                                .family = OpFamily::contraction,
                                .lower = lower_addbmm,
                                .own_type_sums = true,
                                .samples = kAddbmmSamples};

}  // namespace faultline
