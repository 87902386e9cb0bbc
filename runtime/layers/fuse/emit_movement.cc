// The emitter's other half: movement prims become changes of coordinates, down to the access map of a load. Where an
// element may lie outside its source (pad, concat) the load has a fill, or, when more than a load stands there, a
// select takes the other value.
#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/layers/fuse/emitter.h"
#include "runtime/layers/fuse/reshape.h"

namespace faultline {

bool Emitter::surely_inside(const Coordinate& coordinate, int64_t size) const {
  if (coordinate.indirect >= 0) return false;
  const Range range = range_of(coordinate.affine, kernel_.extents);
  return range.low >= 0 && range.high < size;
}

int Emitter::emit_load(int node, Coordinates at, bool guarded, int fill) {
  const PrimNode& source = prim(node);
  if (source.sizes.empty()) at = {Coordinate{}};
  if (guarded || fill >= 0) {
    bool inside = true;
    for (size_t d = 0; d < at.size(); ++d)
      inside = inside && surely_inside(at[d], source.sizes.empty() ? 1 : source.sizes[d]);
    if (inside)
      fill = -1;
    else if (fill < 0)
      fill = literal(Literal{source.dtype, 0, 0, std::nullopt});
  }
  ScalarNode load;
  load.kind = ScalarNode::Kind::load;
  load.dtype = source.dtype;
  load.access = {node, std::move(at)};
  if (fill >= 0) load.operands = {fill};
  return push(std::move(load));
}

Coordinate Emitter::scaled_coordinate(const Coordinate& coordinate, int64_t factor) {
  Coordinate result{scaled(coordinate.affine, factor), coordinate.indirect};
  if (result.indirect < 0 || factor == 1) return result;
  const DType dtype = kernel_.nodes[result.indirect].dtype;
  result.indirect = apply(Function::mul, dtype, {result.indirect, literal(integer_literal(factor, dtype))});
  return result;
}

Coordinates Emitter::permuted(int node, const Coordinates& at) const {
  Coordinates below(at.size());
  for (size_t d = 0; d < at.size(); ++d) below[prim(node).axes[d]] = at[d];
  return below;
}

Coordinates Emitter::flipped(int node, const Coordinates& at) {
  Coordinates below = at;
  for (const int64_t axis : prim(node).axes) {
    below[axis] = scaled_coordinate(at[axis], -1);
    below[axis].affine =
        simplified(sum(below[axis].affine, constant_affine(prim(node).sizes[axis] - 1)), kernel_.extents);
  }
  return below;
}

Coordinates Emitter::below_window(int node, const Coordinates& at) {
  const PrimNode& window = prim(node);
  const size_t axis = static_cast<size_t>(window.axes[0]);
  if (at[axis].indirect >= 0 && at[axis + 1].indirect >= 0) throw NeedsBuffer{node};  // a coordinate has one index
  const Coordinate position = scaled_coordinate(at[axis], window.step_sizes[0]);
  const Coordinate tap = scaled_coordinate(at[axis + 1], window.step_sizes[1]);
  Coordinates below = at;
  below.erase(below.begin() + window.axes[0] + 1);
  below[axis] = {simplified(sum(position.affine, tap.affine), kernel_.extents),
                 std::max(position.indirect, tap.indirect)};
  return below;
}

int Emitter::emit_movement(int node, const Coordinates& at, bool guarded) {
  const PrimNode& move = prim(node);
  const int source = move.operands[0];
  switch (move.prim) {
    case Prim::reshape: return emit_reshape(node, at, guarded);
    case Prim::permute: return emit(source, permuted(node, at), guarded);
    case Prim::flip: return emit(source, flipped(node, at), guarded);
    case Prim::broadcast: {
      Coordinates below;
      for (size_t d = 0; d < prim(source).sizes.size(); ++d)
        below.push_back(prim(source).sizes[d] == 1 ? Coordinate{} : at[move.axes[d]]);
      return emit(source, below, guarded);
    }
    case Prim::slice: {
      Coordinates below;
      for (size_t d = 0; d < at.size(); ++d) {
        below.push_back(scaled_coordinate(at[d], move.step_sizes.empty() ? 1 : move.step_sizes[d]));
        below[d].affine = simplified(sum(below[d].affine, constant_affine(move.low[d])), kernel_.extents);
      }
      return emit(source, below, guarded);
    }
    case Prim::window: return emit(source, below_window(node, at), guarded);
    case Prim::pad: return emit_pad(node, at, guarded);
    case Prim::concat: return emit_concat(node, at, guarded);
    default:
      FAULTLINE_CHECK(move.prim == Prim::gather, std::string(name(move.prim)));
      return emit_gather(node, at, guarded);
  }
}

// When only dims of size 1 come or go, coordinates pass through as they are, indirect ones too.
static std::optional<Coordinates> without_unit_dims(const Sizes& from, const Sizes& to, const Coordinates& at) {
  Coordinates below;
  size_t next = 0;
  const auto skip_units = [&] {
    while (next < to.size() && to[next] == 1) ++next;
  };
  for (const int64_t size : from) {
    if (size == 1) {
      below.push_back({});
      continue;
    }
    skip_units();
    if (next == to.size() || to[next] != size) return std::nullopt;
    below.push_back(at[next++]);
  }
  skip_units();
  if (next != to.size()) return std::nullopt;
  return below;
}

int Emitter::emit_reshape(int node, const Coordinates& at, bool guarded) {
  const int source = prim(node).operands[0];
  const Sizes &from = prim(source).sizes, &to = prim(node).sizes;
  if (const auto below = without_unit_dims(from, to, at)) return emit(source, *below, guarded);
  std::vector<Affine> coordinates;
  for (const Coordinate& coordinate : at) {
    if (coordinate.indirect >= 0) throw NeedsBuffer{node};
    coordinates.push_back(coordinate.affine);
  }
  const auto affine = reshaped(from, to, coordinates, kernel_.extents);
  if (!affine) throw NeedsBuffer{node};
  Coordinates below;
  for (const Affine& coordinate : *affine) below.push_back({coordinate, -1});
  return emit(source, below, guarded);
}

int Emitter::emit_gather(int node, const Coordinates& at, bool guarded) {
  const PrimNode& gather = prim(node);
  const auto first = at.begin() + gather.axes[0];
  const auto last = first + std::ssize(prim(gather.operands[1]).sizes);
  Coordinates below(at.begin(), first);
  below.push_back({{}, emit(gather.operands[1], Coordinates(first, last), guarded)});
  below.insert(below.end(), last, at.end());
  return emit(gather.operands[0], below, guarded);
}

int Emitter::direct_source(int node, Coordinates& at) {
  for (;; node = prim(node).operands[0]) {
    if (has_buffer(node)) return node;
    if (node == root_) return -1;
    if (prim(node).prim == Prim::permute)
      at = permuted(node, at);
    else if (prim(node).prim == Prim::flip)
      at = flipped(node, at);
    else
      return -1;
    written_.insert(node);
  }
}

int Emitter::emit_or(int node, const Coordinates& at, const std::vector<int>& tested, bool guarded, int otherwise) {
  Coordinates below = at;
  if (const int source = direct_source(node, below); source >= 0) return emit_load(source, below, guarded, otherwise);
  int inside = -1;
  const auto require = [&](const Affine& affine, Function function, int64_t limit) {
    const int test =
        apply(function, DType::boolean, {index(affine, DType::i64), literal(integer_literal(limit, DType::i64))});
    inside = inside < 0 ? test : apply(Function::bitwise_and, DType::boolean, {inside, test});
  };
  for (const int d : tested) {
    const Range range = range_of(at[d].affine, kernel_.extents);
    if (range.low < 0) require(at[d].affine, Function::greater_equal, 0);
    if (range.high >= prim(node).sizes[d]) require(at[d].affine, Function::less, prim(node).sizes[d]);
  }
  const int value = emit(node, at, guarded || inside >= 0);
  return inside < 0 ? value : apply(Function::select, prim(node).dtype, {inside, value, otherwise});
}

int Emitter::emit_pad(int node, const Coordinates& at, bool guarded) {
  const PrimNode& pad = prim(node);
  const Sizes& sizes = prim(pad.operands[0]).sizes;
  Coordinates below = at;
  std::vector<int> tested;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (pad.low[d] == 0 && pad.sizes[d] == sizes[d]) continue;
    if (at[d].indirect >= 0) throw NeedsBuffer{node};
    below[d].affine = simplified(sum(at[d].affine, constant_affine(-pad.low[d])), kernel_.extents);
    tested.push_back(static_cast<int>(d));
  }
  return emit_or(pad.operands[0], below, tested, guarded, emit(pad.operands[1], {}, guarded));
}

// From the last piece to the first: each takes what lies beyond it from the ones after it. A coordinate before a piece
// never gets there, so the last piece may answer anything.
int Emitter::emit_concat(int node, const Coordinates& at, bool guarded) {
  const PrimNode& concat = prim(node);
  const int axis = static_cast<int>(concat.axes[0]);
  if (at[axis].indirect >= 0) throw NeedsBuffer{node};
  const Range range = range_of(at[axis].affine, kernel_.extents);
  int64_t end = concat.sizes[axis];
  int value = -1;
  for (size_t k = concat.operands.size(); k-- > 0;) {
    const int piece = concat.operands[k];
    const int64_t size = prim(piece).sizes[axis], start = end - size;
    end = start;
    const bool reached = start <= range.high && start + size > range.low;
    if (size == 0 || (!reached && (k > 0 || value >= 0))) continue;
    Coordinates below = at;
    below[axis].affine = simplified(sum(at[axis].affine, constant_affine(-start)), kernel_.extents);
    const bool outside = !surely_inside(below[axis], size);
    value = value < 0 || !outside ? emit(piece, below, guarded || outside) : emit_or(piece, below, {axis}, true, value);
  }
  if (value >= 0) return value;
  // No piece is ever reached, so nothing is ever asked for.
  return literal(is_float(concat.dtype) ? real_literal(0, concat.dtype) : integer_literal(0, concat.dtype));
}

}  // namespace faultline
