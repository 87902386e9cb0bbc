// What the tests of layer 3 share: a prim-by-prim reference on dense values, input values, and a generator of small
// prim graphs.
#pragma once

#include <map>
#include <string>

#include "runtime/base/error.h"
#include "runtime/core/choices.h"
#include "runtime/ir/prim.h"
#include "runtime/layers/fuse/execute.h"

namespace faultline::fuse_test {

inline std::vector<int64_t> digits(const Sizes& sizes, int64_t flat) {
  std::vector<int64_t> index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = flat % sizes[d];
    flat /= sizes[d];
  }
  return index;
}

inline int64_t flattened(const Sizes& sizes, const std::vector<int64_t>& index) {
  int64_t flat = 0;
  for (size_t d = 0; d < sizes.size(); ++d) flat = flat * sizes[d] + index[d];
  return flat;
}

// The slow and obvious meaning of every prim: one element at a time, from the definitions in prim.h.
template <class D>
class PrimReference {
 public:
  using Value = typename D::Value;
  PrimReference(const PrimGraph& graph, D& domain, const DenseBuffers<D>& inputs)
      : graph_(graph), domain_(domain), inputs_(inputs) {}

  DenseBuffers<D> run() {
    for (const PrimNode& node : graph_.nodes) {
      std::vector<Value> values;
      for (int64_t i = 0; i < element_count(node.sizes); ++i) values.push_back(element(node, i));
      values_.push_back(std::move(values));
    }
    return values_;
  }

 private:
  const Value& at(int node, const std::vector<int64_t>& index) const {
    return values_[node][flattened(graph_.nodes[node].sizes, index)];
  }

  Value element(const PrimNode& node, int64_t flat) {
    const std::vector<int64_t> index = digits(node.sizes, flat);
    std::vector<int64_t> below = index;
    const int source = node.operands.empty() ? -1 : node.operands[0];
    switch (node.prim) {
      case Prim::input: return inputs_[node.index][flat];
      case Prim::literal: return domain_.literal(node.literal);
      case Prim::iota: return domain_.integer(node.literal.integer + node.low[0] * index[node.axes[0]], node.dtype);
      case Prim::pointwise: return pointwise(node, flat);
      case Prim::reduce: return reduce(node, index);
      case Prim::dot: return dot(node, index);
      case Prim::reshape: return values_[source][flat];
      case Prim::permute:
        for (size_t d = 0; d < index.size(); ++d) below[node.axes[d]] = index[d];
        return at(source, below);
      case Prim::broadcast:
        below.clear();
        for (size_t d = 0; d < graph_.nodes[source].sizes.size(); ++d)
          below.push_back(graph_.nodes[source].sizes[d] == 1 ? 0 : index[node.axes[d]]);
        return at(source, below);
      case Prim::slice:
        for (size_t d = 0; d < index.size(); ++d) below[d] = node.low[d] + index[d] * node.step_sizes[d];
        return at(source, below);
      case Prim::flip:
        for (const int64_t axis : node.axes) below[axis] = node.sizes[axis] - 1 - index[axis];
        return at(source, below);
      case Prim::pad: return pad(node, index);
      case Prim::concat: return concat(node, index);
      case Prim::gather: return gather(node, index);
      case Prim::window:
        below.erase(below.begin() + node.axes[0] + 1);
        below[node.axes[0]] = index[node.axes[0]] * node.step_sizes[0] + index[node.axes[0] + 1] * node.step_sizes[1];
        return at(source, below);
    }
    return {};
  }

  Value pointwise(const PrimNode& node, int64_t flat) {
    const Value* sources[3] = {};
    for (size_t i = 0; i < node.operands.size(); ++i) sources[i] = &values_[node.operands[i]][flat];
    const int typed = node.operands[node.function == Function::select ? 1 : 0];
    Value result{};
    domain_.apply(node.function, node.dtype, graph_.nodes[typed].dtype, &result, sources[0], sources[1], sources[2], 1);
    return result;
  }

  Value reduce(const PrimNode& node, const std::vector<int64_t>& index) {
    const PrimNode& source = graph_.nodes[node.operands[0]];
    Sizes inner;
    for (const int64_t axis : node.axes) inner.push_back(source.sizes[axis]);
    const bool extreme = node.reduction == Reduction::argmax || node.reduction == Reduction::argmin;
    auto accumulator = domain_.accumulator(extreme ? Reduction::max : node.reduction, source.dtype);
    Value best{};
    int64_t best_index = -1;
    for (int64_t r = 0; r < element_count(inner); ++r) {
      const std::vector<int64_t> along = digits(inner, r);
      std::vector<int64_t> below;
      for (size_t d = 0, next = 0, axis = 0; d < source.sizes.size(); ++d) {
        const bool reduced = axis < node.axes.size() && node.axes[axis] == static_cast<int64_t>(d);
        below.push_back(reduced ? along[axis++] : index[next++]);
      }
      const Value& value = at(node.operands[0], below);
      if (!extreme) {
        domain_.accumulate(node.reduction, source.dtype, &accumulator, &value, 1);
      } else if (best_index < 0 || domain_.replaces(node.reduction, source.dtype, best, value)) {
        best = value;
        best_index = r;
      }
    }
    return extreme ? domain_.integer(best_index, node.dtype) : domain_.finish(node.reduction, node.dtype, accumulator);
  }

  Value dot(const PrimNode& node, const std::vector<int64_t>& index) {
    const PrimNode& a = graph_.nodes[node.operands[0]];
    auto accumulator = domain_.accumulator(Reduction::sum, a.dtype);
    for (int64_t k = 0; k < a.sizes[2]; ++k)
      domain_.multiply_accumulate(a.dtype, &accumulator, &at(node.operands[0], {index[0], index[1], k}), 0,
                                  &at(node.operands[1], {index[0], k, index[2]}), 0, 1);
    return domain_.finish(Reduction::sum, node.dtype, accumulator);
  }

  Value pad(const PrimNode& node, const std::vector<int64_t>& index) {
    std::vector<int64_t> below = index;
    for (size_t d = 0; d < index.size(); ++d) {
      below[d] -= node.low[d];
      if (below[d] < 0 || below[d] >= graph_.nodes[node.operands[0]].sizes[d]) return values_[node.operands[1]][0];
    }
    return at(node.operands[0], below);
  }

  Value concat(const PrimNode& node, std::vector<int64_t> index) {
    int64_t& along = index[node.axes[0]];
    for (const int operand : node.operands) {
      const int64_t size = graph_.nodes[operand].sizes[node.axes[0]];
      if (along < size) return at(operand, index);
      along -= size;
    }
    fail_check(__FILE__, __LINE__, "concat covers its size", "");
  }

  Value gather(const PrimNode& node, const std::vector<int64_t>& index) {
    const auto first = index.begin() + node.axes[0];
    const auto last = first + static_cast<ptrdiff_t>(graph_.nodes[node.operands[1]].sizes.size());
    std::vector<int64_t> below(index.begin(), first);
    below.push_back(domain_.to_integer(at(node.operands[1], {first, last})));
    below.insert(below.end(), last, index.end());
    return at(node.operands[0], below);
  }

  const PrimGraph& graph_;
  D& domain_;
  const DenseBuffers<D>& inputs_;
  DenseBuffers<D> values_;
};

// Buffers of run_kernels that claim to hold a prim node, against that node's values.
template <class D, class Same>
std::string first_difference(const PrimGraph& graph, const KernelProgram& program, D& domain,
                             const DenseBuffers<D>& inputs, Same same) {
  const DenseBuffers<D> expected = PrimReference<D>(graph, domain, inputs).run();
  const DenseBuffers<D> actual = run_kernels(program, domain, inputs);
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const int node = program.buffers[b].prim_node;
    if (node < 0) continue;
    for (size_t i = 0; i < expected[node].size(); ++i)
      if (!same(program.buffers[b].dtype, expected[node][i], actual[b][i]))
        return program.buffers[b].name + "[" + std::to_string(i) + "]";
  }
  return "";
}

}  // namespace faultline::fuse_test
