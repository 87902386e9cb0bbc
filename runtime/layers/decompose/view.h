// A view as a path of steps from the tensor it looks at. Each step is one movement prim, and can be undone: `scatter`
// gives the parent with the region that the step shows replaced. So a write through any view becomes a functional
// update of the base, one step at a time, innermost first.
//
// Prims have no scatter. A permuted or reshaped value moves back by the inverse movement; a slice is written by a mask:
//
//   select(low <= i < low + step*count and (i - low) % step == 0, pad(value), parent)
//
// per sliced dim, where the mask is made of iotas and the padded value is an affine load with a fill, so that fuse
// makes one pointwise kernel of it.
#pragma once

#include <vector>

#include "runtime/layers/decompose/graph_builder.h"

namespace faultline {

struct ViewStep {
  Prim prim = Prim::reshape;  // reshape, permute, slice, broadcast
  Sizes from, to;
  std::vector<int64_t> axes;  // permute, broadcast: as in PrimNode
  int dim = 0;                // slice
  int64_t low = 0, step = 1;
  bool operator==(const ViewStep&) const = default;
};

ViewStep reshape_step(const Sizes& from, const Sizes& to);
ViewStep permute_step(const Sizes& from, const std::vector<int64_t>& axes);
ViewStep slice_step(const Sizes& from, int dim, int64_t low, int64_t count, int64_t step);
ViewStep expand_step(const Sizes& from, const Sizes& to);

// The node of what the step shows of `parent`.
int show(GraphBuilder& builder, const ViewStep& step, int parent);
// The node of `parent` with what the step shows replaced by `value`. Throws Rejected where one element is shown twice.
int scatter(GraphBuilder& builder, const ViewStep& step, int parent, int value);

}  // namespace faultline
