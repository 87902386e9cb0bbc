// The artefact of `fuse`: kernels over dense logical buffers. A kernel is one perfect loop nest with a scalar
// expression DAG; movement prims leave no kernel where an access map does.
//
// Iteration space: dims [0, parallel) are the dims of every buffer the kernel stores to (stores are the identity map),
// the remaining dims are reduction dims. A rank-0 buffer is kept as sizes {1}, so a kernel always has at least one
// parallel dim.
//
// What `fuse` promises and `verify_fuse` checks (the word in brackets is Finding::promise):
//   [produced]  every buffer that is no input is stored by exactly one kernel; every graph output and write-back has a
//   buffer of
//               role output (equal nodes share one); input buffers are never stored
//   [order]     a kernel loads only inputs and what earlier kernels stored: groups are acyclic, and no read crosses a
//   write [bounds]    a load without a fill stays within its buffer over the whole iteration box [dtype]     loads and
//   stores have their buffer's dtype; `apply` nodes follow their function's rule [sizes]     a buffer that holds a prim
//   node has its dtype and sizes ({1} for rank 0); stores match the parallel extents [shape]     nodes refer to earlier
//   nodes, dims and buffers that exist; names are unique; `reduced` only under a reduction [operands]  the buffers a
//   kernel loads are the prims' operands: following the prim graph back from the stored node, every
//               path ends in a loaded buffer or a constant, and nothing else is loaded
//   [origins]   every prim that some output needs is accounted for by the origins of a kernel
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/ir/function.h"
#include "runtime/ir/literal.h"
#include "runtime/ir/prim.h"
#include "runtime/ir/tensor.h"

namespace faultline {

// coefficient * ((index[dim] / divisor) % modulus), floor division; modulus 0: no modulus.
struct Term {
  int dim = 0;
  int64_t coefficient = 1;
  int64_t divisor = 1;
  int64_t modulus = 0;
  bool operator==(const Term&) const = default;
};

struct Affine {
  int64_t constant = 0;
  std::vector<Term> terms;

  int64_t at(std::span<const int64_t> index) const;
  bool operator==(const Affine&) const = default;
};

// One logical coordinate of an access; `indirect` >= 0 adds the integer value of that scalar node (gather).
struct Coordinate {
  Affine affine;
  int indirect = -1;
  bool operator==(const Coordinate&) const = default;
};

// One coordinate a dim of the buffer.
struct Access {
  int buffer = 0;
  std::vector<Coordinate> coordinates;
  bool operator==(const Access&) const = default;
};

struct ScalarNode {
  enum class Kind : uint8_t {
    load,  // buffer element at `access`; where a coordinate lies outside the buffer: operand 0 (the fill), which must
           // then exist
    literal,  // `literal`
    index,    // the integer value of `affine` as a value of `dtype` (iota, masks)
    apply,    // `function` of operands; operand dtype is that of operand 0 (for select: of operand 1)
    reduced,  // the result of the kernel's reduction; nodes that use it are the epilogue. They, and what else a store
              // needs, are evaluated once a parallel point
  };
  Kind kind = Kind::literal;
  DType dtype = DType::f32;
  std::vector<int> operands;  // earlier nodes
  Function function = Function::neg;
  Access access;
  Literal literal;
  Affine affine;
  bool operator==(const ScalarNode&) const = default;
};

struct KernelReduction {
  Reduction reduction = Reduction::sum;
  int node =
      0;  // the value reduced, over all reduction dims; argmax: the result is the flat index over the reduction dims
  bool operator==(const KernelReduction&) const = default;
};

// contraction  the reduction is a sum over `mul` whose products are not rounded to the dtype: multiply_accumulate
// reduction    any other reduction; the value reduced is rounded as any scalar node
// movement     no `apply` node and no reduction: elements are moved, none is computed
enum class KernelClass : uint8_t { pointwise, reduction, contraction, movement };
std::string_view name(KernelClass kernel_class);

struct KernelStore {
  int buffer = 0;
  int node = 0;
  bool operator==(const KernelStore&) const = default;
};

struct Kernel {
  std::string name;  // "k0_clone": unique in the program
  KernelClass kernel_class = KernelClass::pointwise;
  std::vector<int64_t> extents;  // iteration dims, parallel first
  int parallel = 1;              // how many are parallel
  std::vector<ScalarNode> nodes;
  std::optional<KernelReduction> reduction;
  std::vector<KernelStore> stores;
  std::vector<int> origins;  // indices into KernelProgram::origins
  bool operator==(const Kernel&) const = default;
};

enum class BufferRole : uint8_t { input, intermediate, output };

struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  Sizes sizes;  // never rank 0
  BufferRole role = BufferRole::intermediate;
  int prim_node = -1;  // the node of the prim graph whose values it holds
  bool operator==(const Buffer&) const = default;
};

struct KernelProgram {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;  // in an order that respects uses
  std::vector<int> inputs;      // buffer of each graph input
  std::vector<int>
      outputs;  // buffer of each PrimGraph output; -1: it is a view of an input, nothing is computed for it
  std::vector<int> write_backs;  // buffer of each PrimGraph write-back
  std::vector<std::string> origins;
  bool operator==(const KernelProgram&) const = default;
};

// A box of the iteration space: [begin[d], end[d]).
struct Box {
  std::vector<int64_t> begin, end;
  bool operator==(const Box&) const = default;
};
Box whole_box(const Kernel& kernel);

}  // namespace faultline
