// The emitter's parts, shared by emit.cc (nodes and reductions) and emit_movement.cc (access maps).
#pragma once

#include <map>
#include <set>

#include "runtime/layers/fuse/affine.h"
#include "runtime/layers/fuse/emit.h"

namespace faultline {

// Thrown inside the emitter only: this node cannot be written in place.
struct NeedsBuffer {
  int node;
};

using Coordinates = std::vector<Coordinate>;

// `at` are the coordinates, in iteration dims, of the element of a node that is wanted. `guarded`: the value may be
// asked for at coordinates outside the node, where any value will do, because a select above does not take it there.
class Emitter {
 public:
  Emitter(const FuseGraph& graph, const std::vector<uint8_t>& buffers, int root)
      : graph_(graph), buffers_(buffers), root_(root) {}

  Emission run();

 private:
  const PrimNode& prim(int node) const { return graph_.nodes[node].prim; }
  int push(ScalarNode node);
  int literal(const Literal& value);
  int apply(Function function, DType dtype, std::vector<int> operands);
  int index(const Affine& affine, DType dtype);
  bool has_buffer(int node) const { return node != root_ && (buffers_[node] || prim(node).prim == Prim::input); }

  int emit(int node, const Coordinates& at, bool guarded);
  int emit_prim(int node, const Coordinates& at, bool guarded);
  int emit_pointwise(int node, const Coordinates& at, bool guarded);
  int emit_iota(int node, const Coordinates& at);
  void check_reduction(int node, const Coordinates& at, bool guarded) const;
  int begin_reduction_dims(const std::vector<int64_t>& extents);
  int emit_reduce(int node, const Coordinates& at, bool guarded);
  int emit_dot(int node, const Coordinates& at, bool guarded);
  int reduced(int node);

  // fill: -1 for none.
  int emit_load(int node, Coordinates at, bool guarded, int fill);
  int emit_movement(int node, const Coordinates& at, bool guarded);
  int emit_reshape(int node, const Coordinates& at, bool guarded);
  int emit_gather(int node, const Coordinates& at, bool guarded);
  int emit_pad(int node, const Coordinates& at, bool guarded);
  int emit_concat(int node, const Coordinates& at, bool guarded);
  // The element of `node`, or `otherwise` where `at` lies outside it in the dims of `tested`.
  int emit_or(int node, const Coordinates& at, const std::vector<int>& tested, bool guarded, int otherwise);
  // The buffer below permutes and flips, with the coordinates there; -1 when something else is in between.
  int direct_source(int node, Coordinates& at);
  Coordinates permuted(int node, const Coordinates& at) const;
  Coordinates flipped(int node, const Coordinates& at);
  Coordinates below_window(int node, const Coordinates& at);
  Coordinate scaled_coordinate(const Coordinate& coordinate, int64_t factor);
  bool surely_inside(const Coordinate& coordinate, int64_t size) const;

  const FuseGraph& graph_;
  const std::vector<uint8_t>& buffers_;
  int root_;
  Kernel kernel_;
  std::set<int> written_;
  std::map<std::vector<int64_t>, int> known_;  // (node, guarded, coordinates) to scalar node
  int reduction_of_ = -1;                      // the reduce or dot node that is this kernel's reduction
  bool in_reduction_ = false;
};

}  // namespace faultline
