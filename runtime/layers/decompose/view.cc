// Steps of view as movement prims, and their inverses: movement back, or a mask that keeps what a step does not show.
#include "runtime/layers/decompose/view.h"

#include <numeric>

#include "runtime/base/error.h"

namespace faultline {

ViewStep reshape_step(const Sizes& from, const Sizes& to) {
  ViewStep step;
  step.from = from;
  step.to = to;
  return step;
}

ViewStep permute_step(const Sizes& from, const std::vector<int64_t>& axes) {
  ViewStep step;
  step.prim = Prim::permute;
  step.from = from;
  step.axes = axes;
  for (const int64_t axis : axes) step.to.push_back(from[axis]);
  return step;
}

ViewStep slice_step(const Sizes& from, int dim, int64_t low, int64_t count, int64_t stride) {
  ViewStep step;
  step.prim = Prim::slice;
  step.from = step.to = from;
  step.to[dim] = count;
  step.dim = dim;
  step.low = low;
  step.step = stride;
  return step;
}

ViewStep expand_step(const Sizes& from, const Sizes& to) {
  ViewStep step;
  step.prim = Prim::broadcast;
  step.from = from;
  step.to = to;
  step.axes.resize(from.size());
  std::iota(step.axes.begin(), step.axes.end(), static_cast<int64_t>(to.size() - from.size()));
  return step;
}

int show(GraphBuilder& builder, const ViewStep& step, int parent) {
  switch (step.prim) {
    case Prim::reshape: return builder.reshape(parent, step.to);
    case Prim::permute: return builder.permute(parent, step.axes);
    case Prim::slice: return builder.slice(parent, step.dim, step.low, step.to[step.dim], step.step);
    default: return builder.expand(parent, step.to);
  }
}

static int in_range(GraphBuilder& builder, const Sizes& sizes, int dim, int64_t low, int64_t high) {
  const int i = builder.iota(sizes, dim);
  if (low == 0) return builder.with(Function::less, i, static_cast<double>(high));
  const int above = builder.with(Function::greater_equal, i, static_cast<double>(low));
  if (high == sizes[dim]) return above;
  return builder.apply(Function::bitwise_and, {above, builder.with(Function::less, i, static_cast<double>(high))});
}

// Each element `step` times along the dim: element floor(i / step) stands at i.
static int stretch(GraphBuilder& builder, int value, int dim, int64_t step) {
  Sizes with_steps = builder.sizes(value);
  with_steps.insert(with_steps.begin() + dim + 1, step);
  Sizes joined = builder.sizes(value);
  joined[dim] *= step;
  const int columns = builder.insert_dim(value, dim + 1);
  return builder.reshape(builder.expand(columns, with_steps), joined);
}

static int scatter_slice(GraphBuilder& builder, const ViewStep& step, int parent, int value) {
  const int64_t count = step.to[step.dim];
  if (count == 0) return parent;
  if (count == step.from[step.dim]) return value;
  const int64_t high = step.low + (count - 1) * step.step + 1;
  int mask = in_range(builder, step.from, step.dim, step.low, high);
  if (step.step > 1) {
    value = stretch(builder, value, step.dim, step.step);
    const int i = builder.iota(step.from, step.dim, -step.low);
    const int phase = builder.with(Function::remainder, i, static_cast<double>(step.step));
    mask = builder.apply(Function::bitwise_and, {mask, builder.with(Function::equal, phase, 0)});
  }
  std::vector<int64_t> low(step.from.size(), 0);
  low[step.dim] = step.low;
  const DType dtype = builder.dtype(parent);
  const Literal zero = is_float(dtype) ? real_literal(0, dtype) : integer_literal(0, dtype);
  return builder.select(mask, builder.pad(value, low, step.from, zero), parent);
}

int scatter(GraphBuilder& builder, const ViewStep& step, int parent, int value) {
  switch (step.prim) {
    case Prim::reshape: return builder.reshape(value, step.from);
    case Prim::permute: {
      std::vector<int64_t> inverse(step.axes.size());
      for (size_t d = 0; d < step.axes.size(); ++d) inverse[step.axes[d]] = static_cast<int64_t>(d);
      return builder.permute(value, inverse);
    }
    case Prim::slice: return scatter_slice(builder, step, parent, value);
    default: throw Rejected("write to an expanded tensor", "one element in memory would be written more than once");
  }
}

}  // namespace faultline
