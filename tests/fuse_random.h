// Small random prim graphs over the whole closed set, valid by construction. Every decision comes from Choices, so that
// RapidCheck can shrink the list behind it.
#pragma once

#include <algorithm>
#include <numeric>

#include "runtime/core/choices.h"
#include "runtime/ir/prim.h"

namespace faultline::fuse_test {

class RandomGraph {
 public:
  explicit RandomGraph(Choices& choices) : choices_(choices) {}

  PrimGraph make() {
    graph_.name = "random";
    const uint32_t inputs = 1 + choices_.below(3);
    for (uint32_t i = 0; i < inputs; ++i) add_input(i == 0 ? DType::f16 : some_float(), some_sizes());
    const uint32_t count = 1 + choices_.below(12);
    for (uint32_t n = 0; n < count; ++n) add_some();
    const uint32_t outputs = 1 + choices_.below(3);
    for (uint32_t o = 0; o < outputs; ++o) {
      const int node = o == 0 ? static_cast<int>(graph_.nodes.size()) - 1 : some_node();
      const PrimNode& held = graph_.nodes[node];
      graph_.outputs.push_back({node, contiguous_type(held.dtype, held.sizes), -1, -1, "out" + std::to_string(o)});
    }
    return graph_;
  }

 private:
  DType some_float() { return choices_.below(3) == 0 ? DType::f32 : DType::f16; }
  Sizes some_sizes() {
    static constexpr int64_t kSizes[] = {3, 1, 2, 4, 6, 5, 8};
    Sizes sizes(choices_.below(4));
    for (int64_t& size : sizes) size = kSizes[choices_.below(7)];
    return sizes;
  }
  int some_node() { return static_cast<int>(choices_.below(static_cast<uint32_t>(graph_.nodes.size()))); }
  int some_float_node() {
    int node = some_node();
    while (!is_float(graph_.nodes[node].dtype)) --node;  // node 0 is a float
    return node;
  }
  const Sizes& sizes(int node) const { return graph_.nodes[node].sizes; }

  int add(PrimNode node) {
    node.origin = static_cast<int>(graph_.origins.size());
    graph_.origins.push_back("aten.op" + std::to_string(graph_.origins.size()) + ".default");
    graph_.nodes.push_back(std::move(node));
    return static_cast<int>(graph_.nodes.size()) - 1;
  }
  PrimNode node_of(Prim prim, DType dtype, Sizes sizes, std::vector<int> operands) {
    PrimNode node;
    node.prim = prim;
    node.dtype = dtype;
    node.sizes = std::move(sizes);
    node.operands = std::move(operands);
    return node;
  }
  int add_input(DType dtype, Sizes sizes) {
    PrimNode node = node_of(Prim::input, dtype, sizes, {});
    node.index = static_cast<int>(graph_.inputs.size());
    graph_.inputs.push_back({"x" + std::to_string(node.index), contiguous_type(dtype, sizes), -1});
    graph_.nodes.push_back(std::move(node));
    return static_cast<int>(graph_.nodes.size()) - 1;
  }
  int literal_of(DType dtype, Sizes sizes) {
    PrimNode node = node_of(Prim::literal, dtype, std::move(sizes), {});
    const double value = static_cast<double>(choices_.below(16)) / 4 - 1;
    node.literal = is_float(dtype) ? real_literal(value, dtype) : integer_literal(choices_.below(4), dtype);
    return add(node);
  }
  int iota_of(DType dtype, Sizes sizes) {
    PrimNode node = node_of(Prim::iota, dtype, sizes, {});
    node.literal = integer_literal(0, dtype);
    node.axes = {static_cast<int64_t>(choices_.below(static_cast<uint32_t>(sizes.size())))};
    node.low = {1};
    return add(node);
  }

  // Another float of these sizes and dtype: an existing one, the node itself, a literal or a cast.
  int partner(int node) {
    const DType dtype = graph_.nodes[node].dtype;
    const uint32_t start = choices_.below(static_cast<uint32_t>(graph_.nodes.size()) + 1);
    if (start == graph_.nodes.size()) return literal_of(dtype, sizes(node));
    for (int n = static_cast<int>(start); n >= 0; --n)
      if (graph_.nodes[n].dtype == dtype && sizes(n) == sizes(node)) return n;
    return node;
  }

  int cast_to(int node, DType dtype) {
    if (graph_.nodes[node].dtype == dtype) return node;
    PrimNode cast = node_of(Prim::pointwise, dtype, sizes(node), {node});
    cast.function = Function::cast;
    return add(cast);
  }

  void add_some() {
    switch (choices_.below(13)) {
      case 0: return add_binary();
      case 1: return add_unary();
      case 2: return add_reduce();
      case 3: return add_dot();
      case 4: return add_reshape();
      case 5: return add_permute();
      case 6: return add_broadcast();
      case 7: return add_slice();
      case 8: return add_concat();
      case 9: return add_pad();
      case 10: return add_gather();
      case 11: return add_window();
      default: return add_select();
    }
  }

  void add_binary() {
    static constexpr Function kFunctions[] = {Function::add, Function::mul, Function::sub, Function::maximum};
    const int a = some_float_node(), b = partner(a);
    PrimNode node = node_of(Prim::pointwise, graph_.nodes[a].dtype, sizes(a), {a, b});
    node.function = kFunctions[choices_.below(4)];
    add(node);
  }
  void add_unary() {
    static constexpr Function kFunctions[] = {Function::neg, Function::exp, Function::tanh, Function::abs,
                                              Function::cast};
    const int a = some_float_node();
    PrimNode node = node_of(Prim::pointwise, graph_.nodes[a].dtype, sizes(a), {a});
    node.function = kFunctions[choices_.below(5)];
    if (node.function == Function::cast) node.dtype = node.dtype == DType::f16 ? DType::f32 : DType::f16;
    add(node);
  }
  void add_select() {
    const int a = some_float_node(), b = partner(a);
    PrimNode less = node_of(Prim::pointwise, DType::boolean, sizes(a), {a, b});
    less.function = Function::less;
    const int test = add(less);
    PrimNode node = node_of(Prim::pointwise, graph_.nodes[a].dtype, sizes(a), {test, b, a});
    node.function = Function::select;
    add(node);
  }
  void add_reduce() {
    static constexpr Reduction kReductions[] = {Reduction::sum, Reduction::max, Reduction::argmax, Reduction::min};
    const int a = some_float_node();
    PrimNode node = node_of(Prim::reduce, graph_.nodes[a].dtype, {}, {a});
    node.reduction = kReductions[choices_.below(4)];
    if (node.reduction == Reduction::argmax) node.dtype = DType::i64;
    for (size_t d = 0; d < sizes(a).size(); ++d) {
      if (choices_.below(2))
        node.axes.push_back(static_cast<int64_t>(d));
      else
        node.sizes.push_back(sizes(a)[d]);
    }
    if (!node.axes.empty()) add(node);
  }
  // Takes a node as [B, M, K] after a reshape, and a permuted copy of it as the other factor.
  void add_dot() {
    const int a = some_float_node();
    const Sizes& from = sizes(a);
    const int64_t batch = from.size() > 2 ? from[0] : 1, inner = from.empty() ? 1 : from.back();
    const int64_t rows = element_count(from) / batch / inner;
    const DType dtype = graph_.nodes[a].dtype;
    const int left = add(node_of(Prim::reshape, dtype, {batch, rows, inner}, {a}));
    PrimNode turned = node_of(Prim::permute, dtype, {batch, inner, rows}, {left});
    turned.axes = {0, 2, 1};
    const int right = add(turned);
    const int product = add(node_of(Prim::dot, dtype, {batch, rows, rows}, {left, right}));
    if (batch == 1 && choices_.below(2)) add(node_of(Prim::reshape, dtype, {rows, rows}, {product}));
  }
  void add_reshape() {
    const int a = some_node();
    int64_t rest = element_count(sizes(a));
    Sizes to;
    for (int d = 0; d < 4 && rest > 1; ++d) {
      static constexpr int64_t kFactors[] = {2, 3, 4, 1, 6, 5};
      const int64_t factor = kFactors[choices_.below(6)];
      if (rest % factor) continue;
      to.push_back(factor);
      rest /= factor;
    }
    to.insert(to.begin() + choices_.below(static_cast<uint32_t>(to.size()) + 1), rest);
    add(node_of(Prim::reshape, graph_.nodes[a].dtype, to, {a}));
  }
  void add_permute() {
    const int a = some_node();
    PrimNode node = node_of(Prim::permute, graph_.nodes[a].dtype, {}, {a});
    node.axes.resize(sizes(a).size());
    std::iota(node.axes.begin(), node.axes.end(), 0);
    for (size_t d = node.axes.size(); d-- > 1;)
      std::swap(node.axes[d], node.axes[choices_.below(static_cast<uint32_t>(d) + 1)]);
    for (const int64_t axis : node.axes) node.sizes.push_back(sizes(a)[axis]);
    if (choices_.below(2)) {
      node.prim = Prim::flip;
      node.sizes = sizes(a);
      std::erase_if(node.axes, [&](int64_t) { return choices_.below(2) != 0; });
    }
    add(node);
  }
  void add_broadcast() {
    const int a = some_node();
    if (sizes(a).size() > 3) return;
    PrimNode node = node_of(Prim::broadcast, graph_.nodes[a].dtype, {}, {a});
    for (size_t d = 0; d <= sizes(a).size(); ++d) {
      if (choices_.below(3) == 0) node.sizes.push_back(1 + choices_.below(3));
      if (d == sizes(a).size()) break;
      node.axes.push_back(static_cast<int64_t>(node.sizes.size()));
      node.sizes.push_back(sizes(a)[d] == 1 ? 1 + choices_.below(3) : sizes(a)[d]);
    }
    if (node.sizes.size() <= 4) add(node);
  }
  void add_slice() {
    const int a = some_node();
    PrimNode node = node_of(Prim::slice, graph_.nodes[a].dtype, {}, {a});
    for (const int64_t size : sizes(a)) {
      node.low.push_back(choices_.below(static_cast<uint32_t>(size)));
      node.step_sizes.push_back(1 + choices_.below(2));
      const int64_t most = (size - node.low.back() - 1) / node.step_sizes.back() + 1;
      node.sizes.push_back(most - choices_.below(static_cast<uint32_t>(most)));
    }
    add(node);
  }
  void add_concat() {
    const int a = some_float_node(), b = partner(a);
    if (sizes(a).empty()) return;
    PrimNode node = node_of(Prim::concat, graph_.nodes[a].dtype, sizes(a), {a, b});
    if (choices_.below(2)) node.operands.push_back(a);
    node.axes = {static_cast<int64_t>(choices_.below(static_cast<uint32_t>(sizes(a).size())))};
    node.sizes[node.axes[0]] *= std::ssize(node.operands);
    add(node);
  }
  void add_pad() {
    const int a = some_float_node();
    const int value = literal_of(graph_.nodes[a].dtype, {});
    PrimNode node = node_of(Prim::pad, graph_.nodes[a].dtype, {}, {a, value});
    for (const int64_t size : sizes(a)) {
      node.low.push_back(static_cast<int64_t>(choices_.below(3)) - (size > 1 ? 1 : 0));
      node.sizes.push_back(std::max<int64_t>(1, size + node.low.back() + choices_.below(2)));
    }
    add(node);
  }
  void add_gather() {
    const int a = some_node();
    if (sizes(a).empty()) return;
    const auto axis = static_cast<int64_t>(choices_.below(static_cast<uint32_t>(sizes(a).size())));
    const int64_t most = sizes(a)[axis];
    const int index = iota_of(DType::i64, choices_.below(2) ? Sizes{most} : Sizes{2, most});
    PrimNode node = node_of(Prim::gather, graph_.nodes[a].dtype, sizes(a), {a, index});
    // An iota along a dim of 2 stays within any dim but one of size 1.
    if (graph_.nodes[index].axes[0] == 0 && sizes(index).size() == 2 && most < 2) return;
    node.axes = {axis};
    node.sizes.erase(node.sizes.begin() + axis);
    node.sizes.insert(node.sizes.begin() + axis, sizes(index).begin(), sizes(index).end());
    if (node.sizes.size() <= 5) add(node);
  }

  void add_window() {
    const int a = some_node();
    if (sizes(a).empty() || sizes(a).size() > 4) return;
    const auto axis = static_cast<int64_t>(choices_.below(static_cast<uint32_t>(sizes(a).size())));
    const int64_t size = sizes(a)[axis], step = 1 + choices_.below(3), dilation = 1 + choices_.below(2);
    const int64_t taps = std::min<int64_t>(1 + choices_.below(3), (size - 1) / dilation + 1);
    PrimNode node = node_of(Prim::window, graph_.nodes[a].dtype, sizes(a), {a});
    node.axes = {axis};
    node.step_sizes = {step, dilation};
    node.sizes[axis] = (size - 1 - (taps - 1) * dilation) / step + 1;
    node.sizes.insert(node.sizes.begin() + axis + 1, taps);
    add(node);
  }

  Choices& choices_;
  PrimGraph graph_;
};

}  // namespace faultline::fuse_test
