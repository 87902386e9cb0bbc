// The emitter: scalar nodes, pointwise prims, reductions and contractions.
#include "runtime/layers/fuse/emit.h"

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/layers/fuse/emitter.h"

namespace faultline {

int Emitter::push(ScalarNode node) {
  kernel_.nodes.push_back(std::move(node));
  return static_cast<int>(kernel_.nodes.size()) - 1;
}

static bool same_scalar(const ScalarNode& a, const ScalarNode& b) {
  if (a.kind == ScalarNode::Kind::literal && b.kind == ScalarNode::Kind::literal)
    return to_text(a.literal) == to_text(b.literal);  // by text: -0.0 is not 0.0, NaN is itself
  return a == b;
}

// Literals and indices are shared within a kernel.
static int find_or(const Kernel& kernel, const ScalarNode& node) {
  for (size_t n = 0; n < kernel.nodes.size(); ++n)
    if (same_scalar(kernel.nodes[n], node)) return static_cast<int>(n);
  return -1;
}

int Emitter::literal(const Literal& value) {
  ScalarNode node;
  node.kind = ScalarNode::Kind::literal;
  node.dtype = value.dtype;
  node.literal = value;
  const int known = find_or(kernel_, node);
  return known >= 0 ? known : push(std::move(node));
}

int Emitter::index(const Affine& affine, DType dtype) {
  ScalarNode node;
  node.kind = ScalarNode::Kind::index;
  node.dtype = dtype;
  node.affine = simplified(affine, kernel_.extents);
  const int known = find_or(kernel_, node);
  return known >= 0 ? known : push(std::move(node));
}

int Emitter::apply(Function function, DType dtype, std::vector<int> operands) {
  ScalarNode node;
  node.kind = ScalarNode::Kind::apply;
  node.dtype = dtype;
  node.function = function;
  node.operands = std::move(operands);
  return push(std::move(node));
}

int Emitter::emit(int node, const Coordinates& at, bool guarded) {
  std::vector<int64_t> key{node, guarded};
  for (const Coordinate& coordinate : at) {
    key.insert(key.end(), {coordinate.indirect, coordinate.affine.constant, std::ssize(coordinate.affine.terms)});
    for (const Term& term : coordinate.affine.terms)
      key.insert(key.end(), {term.dim, term.coefficient, term.divisor, term.modulus});
  }
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const int scalar = has_buffer(node) ? emit_load(node, at, guarded, -1) : emit_prim(node, at, guarded);
  return known_[key] = scalar;
}

int Emitter::emit_prim(int node, const Coordinates& at, bool guarded) {
  written_.insert(node);
  switch (prim(node).prim) {
    case Prim::literal: return literal(prim(node).literal);
    case Prim::iota: return emit_iota(node, at);
    case Prim::pointwise: return emit_pointwise(node, at, guarded);
    case Prim::reduce: return emit_reduce(node, at, guarded);
    case Prim::dot: return emit_dot(node, at, guarded);
    default: return emit_movement(node, at, guarded);
  }
}

int Emitter::emit_pointwise(int node, const Coordinates& at, bool guarded) {
  std::vector<int> operands;
  for (const int operand : prim(node).operands) operands.push_back(emit(operand, at, guarded));
  return apply(prim(node).function, prim(node).dtype, std::move(operands));
}

// Whole numbers come from the index itself; a fractional start or step is multiplied and added in the node's dtype.
int Emitter::emit_iota(int node, const Coordinates& at) {
  const PrimNode& iota = prim(node);
  const Coordinate& along = at[iota.axes[0]];
  if (along.indirect >= 0) throw NeedsBuffer{node};
  const bool real = is_float(iota.dtype);
  const auto whole = [](double x) { return x == static_cast<double>(static_cast<int64_t>(x)); };
  if (!real) return index(sum(scaled(along.affine, iota.low[0]), constant_affine(iota.literal.integer)), iota.dtype);
  if (whole(iota.literal.real) && whole(iota.step)) {
    const int64_t start = static_cast<int64_t>(iota.literal.real), step = static_cast<int64_t>(iota.step);
    return index(sum(scaled(along.affine, step), constant_affine(start)), iota.dtype);
  }
  const int count = index(along.affine, iota.dtype);
  const int scaled_count = apply(Function::mul, iota.dtype, {count, literal(real_literal(iota.step, iota.dtype))});
  return apply(Function::add, iota.dtype, {scaled_count, literal(real_literal(iota.literal.real, iota.dtype))});
}

// A kernel has one reduction, evaluated once a parallel point.
void Emitter::check_reduction(int node, const Coordinates& at, bool guarded) const {
  const bool indirect = std::any_of(at.begin(), at.end(), [](const Coordinate& c) { return c.indirect >= 0; });
  const bool same_count = element_count(prim(node).sizes) == element_count(prim(root_).sizes);
  if (guarded || indirect || in_reduction_ || reduction_of_ >= 0 || !same_count) throw NeedsBuffer{node};
}

// Appends the dims and returns the number of the first.
int Emitter::begin_reduction_dims(const std::vector<int64_t>& extents) {
  const int first = static_cast<int>(kernel_.extents.size());
  kernel_.extents.insert(kernel_.extents.end(), extents.begin(), extents.end());
  in_reduction_ = true;
  return first;
}

int Emitter::reduced(int node) {
  in_reduction_ = false;
  ScalarNode result;
  result.kind = ScalarNode::Kind::reduced;
  result.dtype = prim(node).dtype;
  return push(std::move(result));
}

int Emitter::emit_reduce(int node, const Coordinates& at, bool guarded) {
  check_reduction(node, at, guarded);
  reduction_of_ = node;
  const PrimNode& reduce = prim(node);
  const Sizes& sizes = prim(reduce.operands[0]).sizes;
  std::vector<int64_t> axes = reduce.axes, extents;
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes) extents.push_back(sizes[axis]);
  int dim = begin_reduction_dims(extents);
  Coordinates inside;
  size_t next = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(d)))
      inside.push_back({index_affine(dim++), -1});
    else
      inside.push_back(at[next++]);
  }
  kernel_.kernel_class = KernelClass::reduction;
  kernel_.reduction = KernelReduction{reduce.reduction, emit(reduce.operands[0], inside, false)};
  return reduced(node);
}

int Emitter::emit_dot(int node, const Coordinates& at, bool guarded) {
  check_reduction(node, at, guarded);
  reduction_of_ = node;
  const PrimNode& dot = prim(node);
  const int dim = begin_reduction_dims({prim(dot.operands[0]).sizes[2]});
  const Coordinate along{index_affine(dim), -1};
  const auto batch = [&](int operand) { return prim(operand).sizes[0] == 1 ? Coordinate{} : at[0]; };
  const int a = emit(dot.operands[0], {batch(dot.operands[0]), at[1], along}, false);
  const int b = emit(dot.operands[1], {batch(dot.operands[1]), along, at[2]}, false);
  kernel_.kernel_class = KernelClass::contraction;
  kernel_.reduction = KernelReduction{Reduction::sum, apply(Function::mul, prim(dot.operands[0]).dtype, {a, b})};
  return reduced(node);
}

Emission Emitter::run() {
  const PrimNode& root = prim(root_);
  kernel_.extents = root.sizes;
  if (kernel_.extents.empty()) kernel_.extents = {1};
  kernel_.parallel = static_cast<int>(kernel_.extents.size());
  kernel_.kernel_class = KernelClass::movement;
  Coordinates identity;
  for (size_t d = 0; d < root.sizes.size(); ++d)
    identity.push_back({simplified(index_affine(static_cast<int>(d)), kernel_.extents), -1});
  try {
    kernel_.stores = {{root_, emit(root_, identity, false)}};
  } catch (const NeedsBuffer& needs) {
    FAULTLINE_CHECK(needs.node != root_, std::string(name(root.prim)));
    return {{}, {}, needs.node};
  }
  const auto is_apply = [](const ScalarNode& node) { return node.kind == ScalarNode::Kind::apply; };
  if (!kernel_.reduction && std::any_of(kernel_.nodes.begin(), kernel_.nodes.end(), is_apply))
    kernel_.kernel_class = KernelClass::pointwise;
  return {std::move(kernel_), {written_.begin(), written_.end()}, -1};
}

Emission emit_kernel(const FuseGraph& graph, const std::vector<uint8_t>& buffers, int root) {
  return Emitter(graph, buffers, root).run();
}

}  // namespace faultline
