// Sizes are computed here while building, and once more by verify(), which shares no code with this file.
#include "runtime/layers/decompose/graph_builder.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/base/error.h"

namespace faultline {

Sizes broadcast_sizes(const Sizes& a, const Sizes& b) {
  const size_t rank = std::max(a.size(), b.size());
  Sizes sizes(rank, 1);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t left = d < a.size() ? a[a.size() - 1 - d] : 1;
    const int64_t right = d < b.size() ? b[b.size() - 1 - d] : 1;
    if (left != right && left != 1 && right != 1)
      throw UserError(fmt::format("sizes [{}] and [{}] do not broadcast", fmt::join(a, ","), fmt::join(b, ",")));
    sizes[rank - 1 - d] = left == 1 ? right : left;
  }
  return sizes;
}

int GraphBuilder::add(PrimNode node) {
  node.origin = origin_;
  graph_.nodes.push_back(std::move(node));
  return static_cast<int>(graph_.nodes.size()) - 1;
}

PrimNode GraphBuilder::start(Prim prim, DType dtype, const Sizes& sizes, std::vector<int> operands) const {
  PrimNode node;
  node.prim = prim;
  node.dtype = dtype;
  node.sizes = sizes;
  node.operands = std::move(operands);
  return node;
}

int GraphBuilder::input(int index, DType dtype, const Sizes& sizes) {
  PrimNode node = start(Prim::input, dtype, sizes);
  node.index = index;
  return add(std::move(node));
}

int GraphBuilder::literal(const Literal& value, const Sizes& sizes) {
  PrimNode node = start(Prim::literal, value.dtype, sizes);
  node.literal = value;
  return add(std::move(node));
}

int GraphBuilder::number(double value, DType dtype, const Sizes& sizes) {
  if (is_float(dtype)) return literal(real_literal(value, dtype), sizes);
  if (dtype == DType::boolean) return literal(integer_literal(value != 0, dtype), sizes);
  return literal(integer_literal(static_cast<int64_t>(value), dtype), sizes);
}

int GraphBuilder::neutral(Reduction reduction, DType dtype, const Sizes& sizes) {
  return literal(neutral_literal(reduction, dtype), sizes);
}

int GraphBuilder::iota(const Sizes& sizes, int axis, int64_t start_value, int64_t step) {
  PrimNode node = start(Prim::iota, DType::i64, sizes);
  node.literal = integer_literal(start_value, DType::i64);
  node.axes = {axis};
  node.low = {step};
  return add(std::move(node));
}

int GraphBuilder::real_iota(const Sizes& sizes, int axis, double start_value, double step, DType dtype) {
  PrimNode node = start(Prim::iota, dtype, sizes);
  node.literal = real_literal(start_value, dtype);
  node.axes = {axis};
  node.step = step;
  return add(std::move(node));
}

int GraphBuilder::apply(Function function, std::initializer_list<int> operands) {
  Sizes common;
  for (const int operand : operands) common = broadcast_sizes(common, sizes(operand));
  const int typed = operands.begin()[function == Function::select ? 1 : 0];
  const bool compares = row(function).kind == FunctionKind::compare;
  PrimNode node = start(Prim::pointwise, compares ? DType::boolean : dtype(typed), common);
  node.function = function;
  for (const int operand : operands) {
    const DType expected = function == Function::select && node.operands.empty() ? DType::boolean : dtype(typed);
    FAULTLINE_CHECK(dtype(operand) == expected, fmt::format("{} of {}", name(function), name(dtype(operand))));
    node.operands.push_back(expand(operand, common));
  }
  return add(std::move(node));
}

int GraphBuilder::select(int condition, int then_node, int else_node) {
  return apply(Function::select, {condition, then_node, else_node});
}

int GraphBuilder::cast(int source, DType to) {
  if (dtype(source) == to) return source;
  if (to == DType::boolean) return with(Function::not_equal, source, 0);
  PrimNode node = start(Prim::pointwise, to, sizes(source), {source});
  node.function = Function::cast;
  return add(std::move(node));
}

int GraphBuilder::with(Function function, int source, double value) {
  const int right = number(value, dtype(source), sizes(source));
  return apply(function, {source, right});
}

int GraphBuilder::reduce(Reduction reduction, int source, std::vector<int64_t> axes, bool keep) {
  if (axes.empty()) return source;
  std::sort(axes.begin(), axes.end());
  Sizes left, kept = sizes(source);
  for (int64_t d = 0; d < rank(source); ++d)
    if (!std::binary_search(axes.begin(), axes.end(), d)) left.push_back(sizes(source)[d]);
  for (const int64_t axis : axes) kept[axis] = 1;
  const bool index = reduction == Reduction::argmax || reduction == Reduction::argmin;
  PrimNode node = start(Prim::reduce, index ? DType::i64 : dtype(source), left, {source});
  node.reduction = reduction;
  node.axes = std::move(axes);
  const int result = add(std::move(node));
  return keep ? reshape(result, kept) : result;
}

int GraphBuilder::dot(int a, int b) {
  FAULTLINE_CHECK(
      rank(a) == 3 && rank(b) == 3 && size(a, 0) == size(b, 0) && size(a, 2) == size(b, 1) && dtype(a) == dtype(b),
      fmt::format("[{}] x [{}]", fmt::join(sizes(a), ","), fmt::join(sizes(b), ",")));
  return add(start(Prim::dot, dtype(a), {size(a, 0), size(a, 1), size(b, 2)}, {a, b}));
}

int GraphBuilder::reshape(int source, const Sizes& to) {
  if (sizes(source) == to) return source;
  FAULTLINE_CHECK(element_count(sizes(source)) == element_count(to), fmt::format("{}", fmt::join(to, ",")));
  if (node(source).prim == Prim::literal) return literal(Literal(node(source).literal), to);
  return add(start(Prim::reshape, dtype(source), to, {source}));
}

int GraphBuilder::permute(int source, const std::vector<int64_t>& axes) {
  bool identity = true;
  Sizes to;
  for (size_t d = 0; d < axes.size(); ++d) {
    identity = identity && axes[d] == static_cast<int64_t>(d);
    to.push_back(sizes(source)[axes[d]]);
  }
  if (identity) return source;
  PrimNode result = start(Prim::permute, dtype(source), to, {source});
  result.axes = axes;
  return add(std::move(result));
}

int GraphBuilder::transpose(int source, int first, int second) {
  std::vector<int64_t> axes(rank(source));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[first], axes[second]);
  return permute(source, axes);
}

int GraphBuilder::expand(int source, const Sizes& to) {
  if (sizes(source) == to) return source;
  std::vector<int64_t> axes(rank(source));
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(to.size()) - rank(source));
  return broadcast(source, to, axes);
}

int GraphBuilder::broadcast(int source, const Sizes& to, const std::vector<int64_t>& axes) {
  if (node(source).prim == Prim::literal) return literal(Literal(node(source).literal), to);
  PrimNode result = start(Prim::broadcast, dtype(source), to, {source});
  result.axes = axes;
  return add(std::move(result));
}

int GraphBuilder::slice(int source, int dim, int64_t begin, int64_t count, int64_t step) {
  if (begin == 0 && step == 1 && count == size(source, dim)) return source;
  PrimNode result = start(Prim::slice, dtype(source), sizes(source), {source});
  result.sizes[dim] = count;
  result.low.assign(result.sizes.size(), 0);
  result.step_sizes.assign(result.sizes.size(), 1);
  result.low[dim] = begin;
  result.step_sizes[dim] = step;
  return add(std::move(result));
}

int GraphBuilder::concat(std::span<const int> nodes, int dim) {
  if (nodes.size() == 1) return nodes[0];
  PrimNode result = start(Prim::concat, dtype(nodes[0]), sizes(nodes[0]), {nodes.begin(), nodes.end()});
  result.sizes[dim] = 0;
  for (const int part : nodes) result.sizes[dim] += size(part, dim);
  result.axes = {dim};
  return add(std::move(result));
}

int GraphBuilder::pad(int source, const std::vector<int64_t>& low, const Sizes& to, const Literal& value) {
  if (sizes(source) == to && std::all_of(low.begin(), low.end(), [](int64_t n) { return n == 0; })) return source;
  const int fill = literal(value);
  PrimNode result = start(Prim::pad, dtype(source), to, {source, fill});
  result.low = low;
  return add(std::move(result));
}

int GraphBuilder::flip(int source, const std::vector<int64_t>& axes) {
  if (axes.empty()) return source;
  PrimNode result = start(Prim::flip, dtype(source), sizes(source), {source});
  result.axes = axes;
  return add(std::move(result));
}

int GraphBuilder::gather(int source, int index, int dim) {
  const Sizes from = sizes(source), chosen = sizes(index);
  Sizes to(from.begin(), from.begin() + dim);
  to.insert(to.end(), chosen.begin(), chosen.end());
  to.insert(to.end(), from.begin() + dim + 1, from.end());
  PrimNode result = start(Prim::gather, dtype(source), to, {source, index});
  result.axes = {dim};
  return add(std::move(result));
}

int GraphBuilder::window(int source, int dim, int64_t positions, int64_t taps, int64_t step, int64_t dilation) {
  Sizes to = sizes(source);
  to[dim] = positions;
  to.insert(to.begin() + dim + 1, taps);
  PrimNode result = start(Prim::window, dtype(source), to, {source});
  result.axes = {dim};
  result.step_sizes = {step, dilation};
  return add(std::move(result));
}

int GraphBuilder::insert_dim(int source, int dim) {
  Sizes to = sizes(source);
  to.insert(to.begin() + dim, 1);
  return reshape(source, to);
}

int GraphBuilder::remove_dim(int source, int dim) {
  Sizes to = sizes(source);
  to.erase(to.begin() + dim);
  return reshape(source, to);
}

}  // namespace faultline
