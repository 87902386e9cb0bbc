// Printing position sets: the canonical form of the grammar in position_set.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "checkers/patterns/position_set.h"

namespace faultline {

namespace {

using Kind = PositionSet::Kind;

int binding(Kind kind) {
  switch (kind) {
    case Kind::except_indices:
    case Kind::except_set: return 0;
    case Kind::combination: return 1;
    case Kind::intersection: return 2;
    default: return 3;
  }
}

// The text of `part`, in parentheses where it binds looser than `least`.
std::string wrapped(const PositionSet& part, int least) {
  const std::string text = to_text(part);
  return binding(part.kind) < least ? "(" + text + ")" : text;
}

std::string residue_text(const PositionSet& set) {
  const std::string index = set.dim < 0 ? "i" : fmt::format("i_{}", set.dim);
  if (set.end == set.begin + 1) return fmt::format("{{i : {} mod {} = {}}}", index, set.modulus, set.begin);
  return fmt::format("{{i : {} mod {} in [{},{})}}", index, set.modulus, set.begin, set.end);
}

std::string value_text(const PositionSet& set) {
  if (set.feature == "magnitude") return fmt::format("{{|{}| >= {}}}", set.source, set.low);
  if (set.high == set.low + 1) return fmt::format("{{{} of {} = {}}}", set.feature, set.source, set.low);
  return fmt::format("{{{} of {} in [{},{})}}", set.feature, set.source, set.low, set.high);
}

std::string except_text(const PositionSet& set) {
  std::string text = fmt::format("{} except {}", wrapped(set.parts[0], 1), fmt::join(set.list, ", "));
  if (set.end > 0) text += fmt::format(" and {} more", set.end);
  return text;
}

}  // namespace

std::string to_text(const PositionSet& set) {
  switch (set.kind) {
    case Kind::empty: return "{}";
    case Kind::all: return "all";
    case Kind::range: return fmt::format("[{},{})", set.begin, set.end);
    case Kind::rows_from: return fmt::format("rows {}.. of dim {}", set.begin, set.dim);
    case Kind::rows_to: return fmt::format("rows ..{} of dim {}", set.end, set.dim);
    case Kind::slice: return fmt::format("dim {} [{},{})", set.dim, set.begin, set.end);
    case Kind::row: return fmt::format("dim {} = {}", set.dim, set.begin);
    case Kind::last: return fmt::format("last of dim {}", set.dim);
    case Kind::residue: return residue_text(set);
    case Kind::tail: return fmt::format("tail of dim {} beyond k*{}", set.dim, set.modulus);
    case Kind::tile: return fmt::format("tile ({}) of {}", fmt::join(set.list, ","), fmt::join(set.extents, "x"));
    case Kind::tile_cycle:
      return fmt::format("tiles {{t : t mod {} = {}}} of {}", set.modulus, set.begin, fmt::join(set.extents, "x"));
    case Kind::core: {
      const std::string by = set.end > 0 ? fmt::format(" by {}", set.end) : "";
      return fmt::format("core {} of {}{} on dim {}", set.begin, set.modulus, by, set.dim);
    }
    case Kind::value: return value_text(set);
    case Kind::intersection: return wrapped(set.parts[0], 2) + " and " + wrapped(set.parts[1], 3);
    case Kind::combination: return wrapped(set.parts[0], 1) + " or " + wrapped(set.parts[1], 2);
    case Kind::except_indices: return except_text(set);
    case Kind::except_set: return wrapped(set.parts[0], 1) + " except " + wrapped(set.parts[1], 1);
    case Kind::physical: return "phys " + wrapped(set.parts[0], 3);
    case Kind::bit_range: return fmt::format("bits[{},{}) {}", set.begin, set.end, wrapped(set.parts[0], 3));
  }
  return {};
}

std::string describe_positions(const std::vector<uint8_t>& failing, const Sizes& sizes) {
  std::vector<int64_t> wrong;
  for (size_t i = 0; i < failing.size(); ++i)
    if (failing[i] != 0) wrong.push_back(static_cast<int64_t>(i));
  const auto count = static_cast<int64_t>(wrong.size());
  if (count == 0) return "{}";
  if (count == static_cast<int64_t>(failing.size())) return "all";
  if (wrong.back() - wrong.front() + 1 == count) return to_text(PositionSet::range(wrong.front(), wrong.back() + 1));
  int64_t inner = 1;
  for (size_t d = sizes.size(); d-- > 0; inner *= sizes[d]) {
    int64_t low = sizes[d], high = 0;
    for (const int64_t flat : wrong) {
      low = std::min(low, flat / inner % sizes[d]);
      high = std::max(high, flat / inner % sizes[d] + 1);
    }
    if ((high - low) * (static_cast<int64_t>(failing.size()) / sizes[d]) == count)
      return to_text(PositionSet::slice(static_cast<int>(d), low, high));
  }
  constexpr size_t kListed = 8;
  const size_t listed = std::min(wrong.size(), kListed);
  std::string text = fmt::format("{}", fmt::join(wrong.begin(), wrong.begin() + static_cast<ptrdiff_t>(listed), ", "));
  if (wrong.size() > listed) text += fmt::format(" and {} more", wrong.size() - listed);
  return text;
}

}  // namespace faultline
