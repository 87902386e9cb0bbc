// Appends prims to a graph with the book-keeping done: sizes are worked out, operands meet in one shape and one dtype.
// It knows nothing of ATen; what it builds is functional and dense. Programmer errors (a dtype clash, an axis out of
// range) abort: the op rows have checked the call by then.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "runtime/ir/prim.h"

namespace faultline {

class GraphBuilder {
 public:
  // By value: as arguments they must outlive the nodes that the call adds.
  Sizes sizes(int node) const { return graph_.nodes[node].sizes; }
  DType dtype(int node) const { return graph_.nodes[node].dtype; }
  int64_t size(int node, int dim) const { return graph_.nodes[node].sizes[dim]; }
  int rank(int node) const { return static_cast<int>(graph_.nodes[node].sizes.size()); }
  const PrimNode& node(int index) const { return graph_.nodes[index]; }

  int input(int index, DType dtype, const Sizes& sizes);
  int literal(const Literal& value, const Sizes& sizes = {});
  // The number in the dtype: rounded by nobody yet, truncated for integers, != 0 for bool.
  int number(double value, DType dtype, const Sizes& sizes = {});
  int neutral(Reduction reduction, DType dtype, const Sizes& sizes = {});
  // start + step * i along `axis`.
  int iota(const Sizes& sizes, int axis, int64_t start = 0, int64_t step = 1);
  int real_iota(const Sizes& sizes, int axis, double start, double step, DType dtype);

  // Operands are broadcast to their common shape; they share one dtype, which is the result's unless the function
  // compares.
  int apply(Function function, std::initializer_list<int> operands);
  int select(int condition, int then_node, int else_node);
  int cast(int node, DType dtype);
  int refresh(int node) { return apply(Function::refresh, {node}); }
  int logical_not(int node) { return apply(Function::logical_not, {node}); }
  // Arithmetic with a number of the node's dtype on the right.
  int with(Function function, int node, double number);

  // Over `axes` (empty: none are reduced; the node itself comes back); `keep` leaves dims of size 1. An axis may not
  // repeat.
  int reduce(Reduction reduction, int node, std::vector<int64_t> axes, bool keep);
  // [B, M, K] x [B, K, N].
  int dot(int a, int b);

  int reshape(int node, const Sizes& sizes);
  int permute(int node, const std::vector<int64_t>& axes);
  int transpose(int node, int first, int second);
  // Right-aligned, as torch's expand.
  int expand(int node, const Sizes& sizes);
  int broadcast(int node, const Sizes& sizes, const std::vector<int64_t>& axes);
  int slice(int node, int dim, int64_t start, int64_t count, int64_t step = 1);
  int concat(std::span<const int> nodes, int dim);
  // `low` elements of `value` before each dim (negative: crop) and as many after it as `sizes` leave room for.
  int pad(int node, const std::vector<int64_t>& low, const Sizes& sizes, const Literal& value);
  int flip(int node, const std::vector<int64_t>& axes);
  int gather(int node, int index, int dim);
  // `dim` becomes (positions, taps): the element at position * step + tap * dilation.
  int window(int node, int dim, int64_t positions, int64_t taps, int64_t step = 1, int64_t dilation = 1);
  int insert_dim(int node, int dim);
  int remove_dim(int node, int dim);

  void set_origin(int origin) { origin_ = origin; }
  PrimGraph& graph() { return graph_; }

 protected:
  int add(PrimNode node);

 private:
  PrimNode start(Prim prim, DType dtype, const Sizes& sizes, std::vector<int> operands = {}) const;

  PrimGraph graph_;
  int origin_ = -1;
};

// Sizes that two shapes broadcast to; throws UserError when they do not.
Sizes broadcast_sizes(const Sizes& a, const Sizes& b);

}  // namespace faultline
