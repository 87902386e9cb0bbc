// Sets of positions of a tensor, as values with a text that parses back to the same set.
//
//   set   := "{}" | "all" | range | slice | class | tail | box | value | set "and" set | set "or" set
//          | set "except" (list | set) | "phys" set | "bits[7,10)" set | "(" set ")"
//   range := "[64,65)"                                 flat positions, row-major, half open
//   slice := "rows 48.. of dim 0" | "rows ..8 of dim 1" | "dim 1 [64,100)" | "dim 0 = 20" | "last of dim 2"
//   class := "{i : i mod 64 = 63}" | "{i : i mod 64 in [48,64)}" | "{i : i_1 mod 16 = 2}"
//   tail  := "tail of dim 0 beyond k*64"               i_d >= 64*floor(n_d/64)
//   box   := "tile (2,5) of 8x8" | "core 3 of 32 on dim 1" | "tiles {t : t mod 2 = 1} of 8x8"
//   value := "{exponent of ref = 5}" | "{exponent of ref in [3,7)}" | "{|ref| >= 65504}"
//   list  := "3, 9" with at most eight indices, then " and 4 more"
//
// "except" binds loosest, then "or", then "and". A tile's extents speak of the last dimensions; leading ones are whole.
// The share of a core on a dimension is ceil(n_d / cores), unless "by E" gives it. "tiles" counts boxes in row-major
// order. "phys" reads ranges and classes over storage positions (offset included) instead of logical ones. "bits[a,b)"
// keeps the set and says which bits of each element are meant. A box, a row or a class outside the tensor is empty
// there, never an error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/tensor.h"

namespace faultline {

struct PositionSet {
  enum class Kind : uint8_t {
    empty,
    all,
    range,
    rows_from,
    rows_to,
    slice,
    row,
    last,
    residue,
    tail,
    tile,
    tile_cycle,
    core,
    value,
    intersection,
    combination,
    except_indices,
    except_set,
    physical,
    bit_range
  };

  Kind kind = Kind::empty;
  int dim = -1;       // -1: flat positions
  int64_t begin = 0;  // half-open bounds; also the row, the core's number, the first residue
  int64_t end = 0;
  int64_t modulus = 0;        // period, unit of a tail, number of cores
  Sizes extents;              // of a tile
  std::vector<int64_t> list;  // coordinates of a tile; excepted indices
  std::string source;         // of a value rule: "ref", "input 0"
  std::string feature;        // of a value rule: "exponent", "sign", "class", "magnitude"
  double low = 0, high = 0;   // of a value rule, half open
  std::vector<PositionSet> parts;

  bool operator==(const PositionSet&) const = default;

  static PositionSet nothing() { return {}; }
  static PositionSet everything();
  static PositionSet range(int64_t begin, int64_t end);
  static PositionSet rows_from(int dim, int64_t first);
  static PositionSet rows_to(int dim, int64_t end);
  static PositionSet slice(int dim, int64_t begin, int64_t end);
  static PositionSet row(int dim, int64_t index);
  static PositionSet last(int dim);
  // Residues [begin, end) modulo `modulus` of the flat position (dim -1) or of a coordinate.
  static PositionSet residues(int dim, int64_t modulus, int64_t begin, int64_t end);
  static PositionSet tail(int dim, int64_t unit);
  static PositionSet tile(std::vector<int64_t> coordinates, Sizes extents);
  static PositionSet tile_cycle(int64_t modulus, int64_t residue, Sizes extents);
  // extent 0: ceil(n_d / cores).
  static PositionSet core(int64_t number, int64_t cores, int dim, int64_t extent = 0);
  static PositionSet values(std::string feature, std::string source, double low, double high);
  static PositionSet both(PositionSet a, PositionSet b);
  static PositionSet either(PositionSet a, PositionSet b);
  // At most eight indices are kept; the others are counted only.
  static PositionSet except(PositionSet base, std::vector<int64_t> indices);
  static PositionSet without(PositionSet base, PositionSet hole);
  static PositionSet physical(PositionSet base);
  static PositionSet bits(int64_t begin, int64_t end, PositionSet base);
};

// What membership is asked against. `strides` empty: contiguous. `feature_of(source, feature, flat)` answers value
// rules; a set that holds one may only be asked where it is given.
struct SetContext {
  Sizes sizes;
  Sizes strides;
  int64_t offset = 0;
  std::function<double(std::string_view source, std::string_view feature, int64_t flat)> feature_of;
};

bool contains(const PositionSet& set, const SetContext& context, int64_t flat);
std::vector<int64_t> members(const PositionSet& set, const SetContext& context);

std::string to_text(const PositionSet& set);
// Throws UserError with the place and what was expected. to_text(parse_position_set(t)) is the canonical form of t, and
// parse_position_set(to_text(s)) == s for every set the factories build.
PositionSet parse_position_set(std::string_view text);

// The flat positions with failing != 0 in the shortest of the forms above that is exact: a range, a slice, or up to
// eight indices and a count, "[64,65)".
std::string describe_positions(const std::vector<uint8_t>& failing, const Sizes& sizes);

}  // namespace faultline
