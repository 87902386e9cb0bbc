// Building position sets and asking for membership. Each kind is answered from the flat position alone, by dividing out
// the coordinate it needs: sets are evaluated for the few explanations that survive, so clarity wins over speed here.
#include "checkers/patterns/position_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/error.h"

namespace faultline {

namespace {

using Kind = PositionSet::Kind;

PositionSet make(Kind kind, int dim = -1, int64_t begin = 0, int64_t end = 0, int64_t modulus = 0) {
  PositionSet set;
  set.kind = kind;
  set.dim = dim;
  set.begin = begin;
  set.end = end;
  set.modulus = modulus;
  return set;
}

int64_t coordinate(const Sizes& sizes, int dim, int64_t flat) {
  int64_t inner = 1;
  for (size_t d = static_cast<size_t>(dim) + 1; d < sizes.size(); ++d) inner *= sizes[d];
  return flat / inner % sizes[static_cast<size_t>(dim)];
}

bool has_dim(const PositionSet& set, const Sizes& sizes) {
  return set.dim >= 0 && static_cast<size_t>(set.dim) < sizes.size();
}

// Number of the box that holds `flat` in row-major order of the boxes, and its coordinates.
int64_t tile_of(const Sizes& extents, const Sizes& sizes, int64_t flat, std::vector<int64_t>* coordinates) {
  const size_t lead = sizes.size() - extents.size();
  int64_t number = 0;
  for (size_t d = 0; d < extents.size(); ++d) {
    const int64_t at = coordinate(sizes, static_cast<int>(lead + d), flat) / extents[d];
    const int64_t count = (sizes[lead + d] + extents[d] - 1) / extents[d];
    number = number * count + at;
    if (coordinates != nullptr) coordinates->push_back(at);
  }
  return number;
}

int64_t physical_position(const SetContext& context, int64_t flat) {
  if (context.strides.empty()) return context.offset + flat;
  return storage_index({DType::u8, context.sizes, context.strides, context.offset}, flat);
}

bool in_slice(const PositionSet& set, const SetContext& context, int64_t flat) {
  if (!has_dim(set, context.sizes)) return false;
  const int64_t at = coordinate(context.sizes, set.dim, flat);
  const int64_t size = context.sizes[static_cast<size_t>(set.dim)];
  switch (set.kind) {
    case Kind::rows_from: return at >= set.begin;
    case Kind::rows_to: return at < set.end;
    case Kind::slice: return at >= set.begin && at < set.end;
    case Kind::row: return at == set.begin;
    case Kind::last: return at == size - 1;
    case Kind::tail: return at >= set.modulus * (size / set.modulus);
    default: {
      const int64_t extent = set.end > 0 ? set.end : (size + set.modulus - 1) / set.modulus;
      return at / extent == set.begin;
    }
  }
}

bool in_boxes(const PositionSet& set, const SetContext& context, int64_t flat) {
  if (set.extents.size() > context.sizes.size()) return false;
  if (set.kind == Kind::tile_cycle)
    return tile_of(set.extents, context.sizes, flat, nullptr) % set.modulus == set.begin;
  std::vector<int64_t> at;
  tile_of(set.extents, context.sizes, flat, &at);
  return at == set.list;
}

// `position` is the flat position that ranges and flat classes speak of: logical, or physical below "phys".
bool holds(const PositionSet& set, const SetContext& context, int64_t flat, int64_t position) {
  const auto part = [&](size_t k) { return holds(set.parts[k], context, flat, position); };
  switch (set.kind) {
    case Kind::empty: return false;
    case Kind::all: return true;
    case Kind::range: return position >= set.begin && position < set.end;
    case Kind::residue: {
      if (set.dim >= 0 && !has_dim(set, context.sizes)) return false;
      const int64_t at = set.dim < 0 ? position : coordinate(context.sizes, set.dim, flat);
      return at % set.modulus >= set.begin && at % set.modulus < set.end;
    }
    case Kind::tile:
    case Kind::tile_cycle: return in_boxes(set, context, flat);
    case Kind::value: {
      FAULTLINE_CHECK(context.feature_of != nullptr, to_text(set));
      const double value = context.feature_of(set.source, set.feature, flat);
      return value >= set.low && value < set.high;
    }
    case Kind::intersection: return part(0) && part(1);
    case Kind::combination: return part(0) || part(1);
    case Kind::except_indices:
      return part(0) && std::find(set.list.begin(), set.list.end(), position) == set.list.end();
    case Kind::except_set: return part(0) && !part(1);
    case Kind::physical: return holds(set.parts[0], context, flat, physical_position(context, flat));
    case Kind::bit_range: return part(0);
    default: return in_slice(set, context, flat);
  }
}

}  // namespace

PositionSet PositionSet::everything() { return make(Kind::all); }
PositionSet PositionSet::range(int64_t begin, int64_t end) { return make(Kind::range, -1, begin, end); }
PositionSet PositionSet::rows_from(int dim, int64_t first) { return make(Kind::rows_from, dim, first); }
PositionSet PositionSet::rows_to(int dim, int64_t end) { return make(Kind::rows_to, dim, 0, end); }
PositionSet PositionSet::slice(int dim, int64_t begin, int64_t end) { return make(Kind::slice, dim, begin, end); }
PositionSet PositionSet::row(int dim, int64_t index) { return make(Kind::row, dim, index); }
PositionSet PositionSet::last(int dim) { return make(Kind::last, dim); }
PositionSet PositionSet::tail(int dim, int64_t unit) { return make(Kind::tail, dim, 0, 0, unit); }

PositionSet PositionSet::residues(int dim, int64_t modulus, int64_t begin, int64_t end) {
  return make(Kind::residue, dim, begin, end, modulus);
}

PositionSet PositionSet::tile(std::vector<int64_t> coordinates, Sizes extents) {
  PositionSet set = make(Kind::tile);
  set.list = std::move(coordinates);
  set.extents = std::move(extents);
  return set;
}

PositionSet PositionSet::tile_cycle(int64_t modulus, int64_t residue, Sizes extents) {
  PositionSet set = make(Kind::tile_cycle, -1, residue, 0, modulus);
  set.extents = std::move(extents);
  return set;
}

PositionSet PositionSet::core(int64_t number, int64_t cores, int dim, int64_t extent) {
  return make(Kind::core, dim, number, extent, cores);
}

PositionSet PositionSet::values(std::string feature, std::string source, double low, double high) {
  PositionSet set = make(Kind::value);
  set.feature = std::move(feature);
  set.source = std::move(source);
  set.low = low;
  set.high = high;
  return set;
}

PositionSet PositionSet::both(PositionSet a, PositionSet b) {
  PositionSet set = make(Kind::intersection);
  set.parts = {std::move(a), std::move(b)};
  return set;
}

PositionSet PositionSet::either(PositionSet a, PositionSet b) {
  PositionSet set = make(Kind::combination);
  set.parts = {std::move(a), std::move(b)};
  return set;
}

PositionSet PositionSet::except(PositionSet base, std::vector<int64_t> indices) {
  constexpr size_t kListed = 8;
  PositionSet set = make(Kind::except_indices);
  if (indices.size() > kListed) set.end = static_cast<int64_t>(indices.size() - kListed);
  indices.resize(std::min(indices.size(), kListed));
  set.list = std::move(indices);
  set.parts = {std::move(base)};
  return set;
}

PositionSet PositionSet::without(PositionSet base, PositionSet hole) {
  PositionSet set = make(Kind::except_set);
  set.parts = {std::move(base), std::move(hole)};
  return set;
}

PositionSet PositionSet::physical(PositionSet base) {
  PositionSet set = make(Kind::physical);
  set.parts = {std::move(base)};
  return set;
}

PositionSet PositionSet::bits(int64_t begin, int64_t end, PositionSet base) {
  PositionSet set = make(Kind::bit_range, -1, begin, end);
  set.parts = {std::move(base)};
  return set;
}

bool contains(const PositionSet& set, const SetContext& context, int64_t flat) {
  return holds(set, context, flat, flat);
}

std::vector<int64_t> members(const PositionSet& set, const SetContext& context) {
  std::vector<int64_t> found;
  const int64_t count = element_count(context.sizes);
  for (int64_t flat = 0; flat < count; ++flat)
    if (contains(set, context, flat)) found.push_back(flat);
  return found;
}

}  // namespace faultline
