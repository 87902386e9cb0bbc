// The prim graph: what `decompose` leaves. A functional graph over a closed set of prims on dense logical tensors;
// mutation and aliasing are gone and stand in `write_backs` and `outputs` instead.
//
// Operands are node indices; nodes are in topological order. Every node has one result (an op with several results
// becomes several nodes). Logical tensors have no strides: layout is a later layer's affair.
#pragma once

#include <string>
#include <vector>

#include "runtime/ir/dtype.h"
#include "runtime/ir/function.h"
#include "runtime/ir/literal.h"
#include "runtime/ir/tensor.h"

namespace faultline {

enum class Prim : uint8_t {
  input,      // `index`: position among the graph's inputs
  literal,    // `literal`, broadcast to sizes
  iota,       // value = literal + step*i along `axes[0]`; step in `low[0]` for integers, in `step` for floats
  pointwise,  // `function` on operands of one shape; the result's dtype is the node's
  reduce,     // `reduction` over `axes`, keeping no dims
  dot,        // operand 0 [B, M, K] x operand 1 [B, K, N] -> [B, M, N]; B may be 1 in both
  reshape,    // same elements in row-major order
  permute,    // result dim d is operand dim axes[d]
  broadcast,  // result dim axes[d] is operand dim d (size equal or 1); the other dims are new
  slice,      // start `low`, `step_sizes` per dim; sizes give the count
  concat,     // along axes[0]
  pad,   // `low` elements before each dim (may be negative: crop), value = operand 1 (a literal node of no dims); sizes
         // give the rest
  flip,  // along axes
  gather,  // operand 0 indexed along axes[0] by the integer operand 1: result = op0 sizes with that dim replaced by
           // op1's dims
  window,  // operand dim axes[0] becomes the two dims (position, tap): the element at position * step_sizes[0] + tap *
           // step_sizes[1]. All lie within the operand
};

inline constexpr int kPrimCount = 15;

std::string_view name(Prim prim);

struct PrimNode {
  Prim prim = Prim::input;
  DType dtype = DType::f32;
  Sizes sizes;
  std::vector<int> operands;
  Function function = Function::neg;
  Reduction reduction = Reduction::sum;
  Literal literal;
  std::vector<int64_t> axes, low, step_sizes;
  double step = 1;
  int index = 0;
  int origin = -1;  // index of the ATen call in the segment this came from
  bool operator==(const PrimNode&) const = default;
};

// One value of the graph that leaves it. When `alias_input` >= 0 the output is a view of that input (after its
// write-back) with `type`'s sizes, strides and offset; otherwise it is a fresh tensor of `type` holding `node`.
struct GraphOutput {
  int node = -1;
  TensorType type;
  int alias_input = -1;
  int alias_output = -1;  // shares the storage of an earlier output
  std::string name;
  bool operator==(const GraphOutput&) const = default;
};

// After the call the input's storage region seen through `type` holds node's value.
struct WriteBack {
  int input = 0;
  int node = 0;
  TensorType type;
  bool operator==(const WriteBack&) const = default;
};

struct GraphInput {
  std::string name;
  TensorType type;    // as the caller holds it: strides, offset
  int alias_of = -1;  // index of an earlier input that shares the storage
  bool operator==(const GraphInput&) const = default;
};

// What is promised of nodes: `values` and `indices` are the first of the rows of `operand` (along the last dim) in
// order, and where they stand there. The prims compute them; the promise is for whoever bounds the errors of the rows.
struct SortedRows {
  int operand = 0, values = 0, indices = 0;
  bool descending = false;
  bool stable = false;  // equal elements keep their order
  bool operator==(const SortedRows&) const = default;
};

struct PrimGraph {
  std::string name;
  std::vector<GraphInput> inputs;
  std::vector<PrimNode> nodes;
  std::vector<GraphOutput> outputs;
  std::vector<WriteBack> write_backs;
  std::vector<SortedRows> sorted;
  std::vector<std::string> origins;  // "aten.clone.default", by PrimNode::origin
  bool operator==(const PrimGraph&) const = default;
};

// prims clone65(x: f16[65]):
//   calls aten.add.Tensor
//   %0: f16[65] = input(0)
//   %1: f16[] = literal(1.5:f16) at 0
//   %2: f16[65] = broadcast(%1, axes=[]) at 0
//   %3: f16[65] = add(%0, %2) at 0
//   write 0 f16[65] %3
//   sorted %7 %9 of %0 descending stable
//   return y %3 f16[65], z %3 f16[65]{offset=2} of input 0
std::string to_text(const PrimGraph& graph);
std::string to_text(const PrimNode& node);  // without its number: "f16[65] = add(%0, %2) at 0"
// Throws UserError "prims:<line>:<column>: ..." for text that is none; whether the graph holds together is verify's to
// say.
PrimGraph parse_prim_graph(std::string_view text);

}  // namespace faultline
