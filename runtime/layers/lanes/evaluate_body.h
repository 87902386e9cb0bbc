// The body of the lane evaluator. Nodes are sorted into levels once: literals (spread once for good), `outer` (what the
// reduction needs but does not change along it), `body` (inside the reduction), `epilogue` (what stores need besides).
// Within a level a node that does not change along the lane dim is computed for one lane, and spread where a changing
// node wants every lane of it.
#pragma once

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/layers/lanes/evaluate.h"

namespace faultline {

template <class D>
struct Evaluator<D>::Walk {
  const Box& box;
  const EvaluationOptions& options;
  LaneMemory<D>& memory;
  AccumulatorState<D>* state;
  std::vector<int64_t> index, end;
  int64_t state_step = 0;  // of the lane dim among the parallel points of the box

  bool empty(int from, int to) const {
    for (int d = from; d < to; ++d)
      if (box.begin[d] >= end[d]) return true;
    return false;
  }
  void rewind(int from, int to) { std::copy(box.begin.begin() + from, box.begin.begin() + to, index.begin() + from); }
  // The next point of dims [from, to), the lane dim by whole vectors; false after the last.
  bool advance(int from, int to) {
    for (int d = to; d-- > from;) {
      index[d] += d == options.lane_dim ? kLanesMax : 1;
      if (index[d] < end[d]) return true;
      index[d] = box.begin[d];
    }
    return false;
  }
  int lanes_here() const {
    return static_cast<int>(std::min<int64_t>(kLanesMax, end[options.lane_dim] - index[options.lane_dim]));
  }
  size_t state_place(int parallel) const {
    int64_t place = 0;
    for (int d = 0; d < parallel; ++d) place = place * (box.end[d] - box.begin[d]) + index[d] - box.begin[d];
    return static_cast<size_t>(place);
  }
};

template <class D>
Evaluator<D>::Evaluator(const Kernel& kernel, D& domain)
    : kernel_(kernel), domain_(domain), values_(kernel.nodes.size() * kLanesMax) {
  for (const ScalarNode& node : kernel_.nodes)
    FAULTLINE_CHECK(node.kind != ScalarNode::Kind::reduced || kernel_.reduction, kernel_.name);
  find_uses();
  find_levels();
  if (kernel_.reduction) {
    const KernelReduction& reduction = *kernel_.reduction;
    const ScalarNode& reduced = kernel_.nodes[reduction.node];
    reduced_dtype_ = reduced.dtype;
    extreme_ = reduction.reduction == Reduction::argmax || reduction.reduction == Reduction::argmin;
    contraction_ = kernel_.kernel_class == KernelClass::contraction;
    if (contraction_) {
      FAULTLINE_CHECK(reduced.kind == ScalarNode::Kind::apply && reduced.function == Function::mul, kernel_.name);
      reduced_dtype_ = kernel_.nodes[reduced.operands[0]].dtype;
      std::erase(body_, reduction.node);
      std::erase(outer_, reduction.node);
    }
    if (extreme_) {
      extremes_.resize(kLanesMax);
      extreme_indices_.resize(kLanesMax);
    } else {
      accumulators_.assign(kLanesMax, domain_.accumulator(reduction.reduction, reduced_dtype_));
    }
  }
  for (size_t node = 0; node < kernel_.nodes.size(); ++node) {
    if (kernel_.nodes[node].kind != ScalarNode::Kind::literal) continue;
    lanes_of(static_cast<int>(node))[0] = domain_.literal(kernel_.nodes[node].literal);
    spread(static_cast<int>(node), kLanesMax);
  }
  size_t coordinates = 0;
  for (const ScalarNode& node : kernel_.nodes) coordinates = std::max(coordinates, node.access.coordinates.size());
  indirect_.resize(coordinates);
}

// Marks what the reduced value and the stored values need; `reduced` nodes end the walk.
template <class D>
void Evaluator<D>::find_uses() {
  const auto close = [&](std::vector<uint8_t>& marks) {
    for (size_t n = kernel_.nodes.size(); n-- > 0;) {
      if (!marks[n]) continue;
      const ScalarNode& node = kernel_.nodes[n];
      for (const int operand : node.operands) marks[operand] = 1;
      for (const Coordinate& coordinate : node.access.coordinates)
        if (coordinate.indirect >= 0) marks[coordinate.indirect] = 1;
    }
  };
  in_reduction_.assign(kernel_.nodes.size(), 0);
  in_epilogue_.assign(kernel_.nodes.size(), 0);
  if (kernel_.reduction) in_reduction_[kernel_.reduction->node] = 1;
  for (const KernelStore& store : kernel_.stores) in_epilogue_[store.node] = 1;
  close(in_reduction_);
  close(in_epilogue_);
}

template <class D>
void Evaluator<D>::find_levels() {
  std::vector<uint8_t> along(kernel_.nodes.size(), 0);  // changes along a reduction dim
  for (size_t n = 0; n < kernel_.nodes.size(); ++n)
    for (int d = kernel_.parallel; d < static_cast<int>(kernel_.extents.size()); ++d)
      along[n] |= changes_along(kernel_.nodes[n], d, along);
  for (size_t n = 0; n < kernel_.nodes.size(); ++n) {
    if (kernel_.nodes[n].kind == ScalarNode::Kind::literal) continue;
    const bool outer = in_reduction_[n] && !along[n];
    if (outer)
      outer_.push_back(static_cast<int>(n));
    else if (in_reduction_[n])
      body_.push_back(static_cast<int>(n));
    if (in_epilogue_[n] && !outer) epilogue_.push_back(static_cast<int>(n));
  }
}

template <class D>
bool Evaluator<D>::changes_along(const ScalarNode& node, int dim, const std::vector<uint8_t>& changing) const {
  const auto has_dim = [dim](const Affine& affine) {
    return std::any_of(affine.terms.begin(), affine.terms.end(), [dim](const Term& term) { return term.dim == dim; });
  };
  if (node.kind == ScalarNode::Kind::reduced) return dim < kernel_.parallel;
  if (node.kind == ScalarNode::Kind::index && has_dim(node.affine)) return true;
  for (const int operand : node.operands)
    if (changing[operand]) return true;
  for (const Coordinate& coordinate : node.access.coordinates)
    if (has_dim(coordinate.affine) || (coordinate.indirect >= 0 && changing[coordinate.indirect])) return true;
  return false;
}

template <class D>
void Evaluator<D>::set_lane_dim(int lane_dim) {
  if (lane_dim == lane_dim_) return;
  lane_dim_ = lane_dim;
  varies_.assign(kernel_.nodes.size(), 0);
  spread_.assign(kernel_.nodes.size(), 0);
  for (size_t n = 0; n < kernel_.nodes.size(); ++n) {
    const ScalarNode& node = kernel_.nodes[n];
    varies_[n] = changes_along(node, lane_dim, varies_);
    const bool product = contraction_ && static_cast<int>(n) == kernel_.reduction->node;
    if (!varies_[n] || product) continue;
    for (const int operand : node.operands) spread_[operand] = 1;
    for (const Coordinate& coordinate : node.access.coordinates)
      if (coordinate.indirect >= 0) spread_[coordinate.indirect] = 1;
  }
  if (kernel_.reduction && !contraction_) spread_[kernel_.reduction->node] = 1;
  if (lane_dim < kernel_.parallel)
    for (const KernelStore& store : kernel_.stores) spread_[store.node] = 1;
}

template <class D>
void Evaluator<D>::spread(int node, int lanes) {
  Value* values = lanes_of(node);
  std::fill(values + 1, values + lanes, values[0]);
}

template <class D>
void Evaluator<D>::load(int node, Walk& walk, int lanes) {
  const ScalarNode& scalar = kernel_.nodes[node];
  bool any = false;
  for (size_t c = 0; c < scalar.access.coordinates.size(); ++c) {
    const int source = scalar.access.coordinates[c].indirect;
    indirect_[c] = source >= 0 ? lanes_of(source) : nullptr;
    any |= source >= 0;
  }
  const Value* fill = scalar.operands.empty() ? nullptr : lanes_of(scalar.operands[0]);
  walk.memory.load(node, walk.index.data(), walk.options.lane_dim, lanes, any ? indirect_.data() : nullptr, fill,
                   lanes_of(node));
}

template <class D>
void Evaluator<D>::compute(int node, Walk& walk, int lanes) {
  const ScalarNode& scalar = kernel_.nodes[node];
  const int count = varies_[node] ? lanes : 1;
  Value* out = lanes_of(node);
  switch (scalar.kind) {
    case ScalarNode::Kind::literal:
    case ScalarNode::Kind::reduced: return;  // in place already
    case ScalarNode::Kind::load: load(node, walk, count); break;
    case ScalarNode::Kind::index: {
      std::vector<int64_t>& index = walk.index;
      const int64_t here = index[walk.options.lane_dim];
      for (int k = 0; k < count; ++k) {
        index[walk.options.lane_dim] = here + k;
        out[k] = domain_.integer(scalar.affine.at(index), scalar.dtype);
      }
      index[walk.options.lane_dim] = here;
      break;
    }
    case ScalarNode::Kind::apply: {
      const Value* sources[3] = {};
      for (size_t i = 0; i < scalar.operands.size(); ++i) sources[i] = lanes_of(scalar.operands[i]);
      const int typed = scalar.function == Function::select ? scalar.operands[1] : scalar.operands[0];
      domain_.apply(scalar.function, scalar.dtype, kernel_.nodes[typed].dtype, out, sources[0], sources[1], sources[2],
                    count);
      break;
    }
  }
  if (count < lanes && spread_[node]) spread(node, lanes);
}

template <class D>
void Evaluator<D>::run(const Box& box, const EvaluationOptions& options, LaneMemory<D>& memory,
                       AccumulatorState<D>* state) {
  FAULTLINE_CHECK(state || !kernel_.reduction || (options.first && options.last), kernel_.name);
  set_lane_dim(options.lane_dim);
  Walk walk{box, options, memory, state, box.begin, box.end};
  const std::vector<int64_t>& valid = options.valid.empty() ? kernel_.extents : options.valid;
  for (size_t d = 0; d < walk.end.size(); ++d) walk.end[d] = std::min(walk.end[d], valid[d]);
  walk.state_step = 1;
  int64_t points = 1;
  for (int d = 0; d < kernel_.parallel; ++d) {
    points *= box.end[d] - box.begin[d];
    if (d > options.lane_dim) walk.state_step *= box.end[d] - box.begin[d];
  }
  if (state && kernel_.reduction && options.first) {
    if (extreme_) {
      state->extremes.assign(static_cast<size_t>(points), Value{});
      state->extreme_indices.assign(static_cast<size_t>(points), -1);
    } else {
      state->accumulators.assign(static_cast<size_t>(points),
                                 domain_.accumulator(kernel_.reduction->reduction, reduced_dtype_));
    }
  }
  if (walk.empty(0, kernel_.parallel)) return;
  do {
    parallel_vector(walk, options.lane_dim < kernel_.parallel ? walk.lanes_here() : 1);
  } while (walk.advance(0, kernel_.parallel));
}

template <class D>
void Evaluator<D>::parallel_vector(Walk& walk, int lanes) {
  if (kernel_.reduction) {
    const bool along_reduction = walk.options.lane_dim >= kernel_.parallel;
    for (const int node : outer_) compute(node, walk, along_reduction ? kLanesMax : lanes);
    begin_accumulators(walk, lanes);
    reduce(walk, lanes);
    if (!walk.options.last) return save_accumulators(walk, lanes);
  }
  finish(walk, lanes);
}

template <class D>
void Evaluator<D>::begin_accumulators(Walk& walk, int lanes) {
  const bool resume = walk.state && !walk.options.first;
  const size_t place = resume ? walk.state_place(kernel_.parallel) : 0;
  for (int k = 0; k < lanes; ++k) {
    const size_t at = place + static_cast<size_t>(k * walk.state_step);
    if (extreme_) {
      extreme_indices_[k] = resume ? walk.state->extreme_indices[at] : -1;
      if (resume) extremes_[k] = walk.state->extremes[at];
    } else {
      accumulators_[k] =
          resume ? walk.state->accumulators[at] : domain_.accumulator(kernel_.reduction->reduction, reduced_dtype_);
    }
  }
}

template <class D>
void Evaluator<D>::save_accumulators(Walk& walk, int lanes) {
  const size_t place = walk.state_place(kernel_.parallel);
  for (int k = 0; k < lanes; ++k) {
    const size_t at = place + static_cast<size_t>(k * walk.state_step);
    if (extreme_) {
      walk.state->extreme_indices[at] = extreme_indices_[k];
      walk.state->extremes[at] = extremes_[k];
    } else {
      walk.state->accumulators[at] = accumulators_[k];
    }
  }
}

template <class D>
void Evaluator<D>::reduce(Walk& walk, int lanes) {
  const int rank = static_cast<int>(kernel_.extents.size());
  if (walk.empty(kernel_.parallel, rank)) return;
  const bool along = walk.options.lane_dim >= kernel_.parallel;
  walk.rewind(kernel_.parallel, rank);
  do {
    const int here = along ? walk.lanes_here() : lanes;
    for (const int node : body_) compute(node, walk, here);
    reduce_vector(walk, here);
  } while (walk.advance(kernel_.parallel, rank));
  walk.rewind(kernel_.parallel, rank);
}

template <class D>
void Evaluator<D>::reduce_vector(Walk& walk, int lanes) {
  if (extreme_) return fold_extremes(walk, lanes);
  const Reduction reduction = kernel_.reduction->reduction;
  const bool along = walk.options.lane_dim >= kernel_.parallel;
  if (contraction_) {
    const std::vector<int>& factors = kernel_.nodes[kernel_.reduction->node].operands;
    const Value* a = lanes_of(factors[0]);
    const Value* b = lanes_of(factors[1]);
    const int a_step = varies_[factors[0]], b_step = varies_[factors[1]];
    if (!along) return domain_.multiply_accumulate(reduced_dtype_, accumulators_.data(), a, a_step, b, b_step, lanes);
    for (int k = 0; k < lanes; ++k)
      domain_.multiply_accumulate(reduced_dtype_, accumulators_.data(), a + k * a_step, 0, b + k * b_step, 0, 1);
    return;
  }
  const Value* values = lanes_of(kernel_.reduction->node);
  if (!along) return domain_.accumulate(reduction, reduced_dtype_, accumulators_.data(), values, lanes);
  for (int k = 0; k < lanes; ++k) domain_.accumulate(reduction, reduced_dtype_, accumulators_.data(), values + k, 1);
}

// Keeps the extreme value and its flat index over the reduction dims. Boxes may come in any order: of equal extremes
// the one with the smaller index is kept.
template <class D>
void Evaluator<D>::fold_extremes(Walk& walk, int lanes) {
  const Reduction reduction = kernel_.reduction->reduction;
  const bool along = walk.options.lane_dim >= kernel_.parallel;
  int64_t flat = 0, lane_step = 0, stride = 1;
  for (int d = static_cast<int>(kernel_.extents.size()); d-- > kernel_.parallel;) {
    flat += walk.index[d] * stride;
    if (d == walk.options.lane_dim) lane_step = stride;
    stride *= kernel_.extents[d];
  }
  const Value* values = lanes_of(kernel_.reduction->node);
  for (int k = 0; k < lanes; ++k) {
    const int slot = along ? 0 : k;
    const int64_t candidate = flat + k * lane_step, current = extreme_indices_[slot];
    const bool taken =
        current < 0 || (candidate > current ? domain_.replaces(reduction, reduced_dtype_, extremes_[slot], values[k])
                                            : !domain_.replaces(reduction, reduced_dtype_, values[k], extremes_[slot]));
    if (!taken) continue;
    extremes_[slot] = values[k];
    extreme_indices_[slot] = candidate;
  }
}

// Rounds the accumulators to `dtype`. Between a float and an integer (any, all) the result is cast.
template <class D>
void Evaluator<D>::finish_reduction(DType dtype, Value* out, int lanes) {
  const bool converts = !extreme_ && is_float(dtype) != is_float(reduced_dtype_);
  for (int k = 0; k < lanes; ++k) {
    if (extreme_)
      out[k] = domain_.integer(extreme_indices_[k], dtype);
    else
      out[k] = domain_.finish(kernel_.reduction->reduction, converts ? reduced_dtype_ : dtype, accumulators_[k]);
  }
  if (converts) domain_.apply(Function::cast, dtype, reduced_dtype_, out, out, nullptr, nullptr, lanes);
}

template <class D>
void Evaluator<D>::finish(Walk& walk, int lanes) {
  for (const int node : epilogue_) {
    const ScalarNode& scalar = kernel_.nodes[node];
    if (scalar.kind != ScalarNode::Kind::reduced) {
      compute(node, walk, lanes);
      continue;
    }
    finish_reduction(scalar.dtype, lanes_of(node), lanes);
  }
  for (size_t s = 0; s < kernel_.stores.size(); ++s) {
    walk.memory.store(static_cast<int>(s), walk.index.data(), walk.options.lane_dim, lanes,
                      lanes_of(kernel_.stores[s].node));
  }
}

template <class D>
void evaluate(const Kernel& kernel, const Box& box, const EvaluationOptions& options, D& domain, LaneMemory<D>& memory,
              AccumulatorState<D>* state) {
  Evaluator<D>(kernel, domain).run(box, options, memory, state);
}

}  // namespace faultline
