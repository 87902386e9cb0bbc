// The experiments that part rivals, as a table over families of values and rules over families of places.
#include "checkers/patterns/experiments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace faultline {

namespace {

struct ValuePair {
  std::string_view a, b;
  std::string_view experiment;
};

constexpr std::string_view kPoison = "two poison patterns, and another input on the second call";
constexpr std::string_view kUnits =
    "one core; another tile shape; another dtype (the stick moves with it, the tile need not)";
constexpr std::string_view kShapes = "a rectangular shape with distinct prime sides";

constexpr ValuePair kValuePairs[] = {
    {"V1", "V2", kPoison},
    {"V1", "V3", kPoison},
    {"V1", "V4", kPoison},
    {"V2", "V4", kPoison},
    {"V6", "V10", "more rows: five at least"},
    {"V6", "V8", kShapes},
    {"V9", "V4", "swap the order of the tiles; new data"},
    {"V12", "V15", "a rectangular shape with distinct prime sides; make the operand contiguous"},
};

constexpr std::string_view kPeriodic[] = {"W4", "W6", "W9"};
constexpr std::string_view kPlain[] = {"W7", "W8", "W10"};

template <size_t N>
bool one_of(const std::string_view (&ids)[N], std::string_view id) {
  return std::find(std::begin(ids), std::end(ids), id) != std::end(ids);
}

// Dimension and period of a class, looked for through the combinations that places are made of.
const PositionSet* periodic_part(const PositionSet& set) {
  if (set.modulus > 0) return &set;
  for (const PositionSet& part : set.parts)
    if (const PositionSet* found = periodic_part(part)) return found;
  return nullptr;
}

std::string longer_run(const Scene& scene, const Found& periodic) {
  const PositionSet* set = periodic_part(periodic.set);
  if (set == nullptr) return "a longer run";
  const int64_t size = set->dim < 0 ? scene.count_max : scene.largest[static_cast<size_t>(set->dim)];
  return fmt::format("a run of {} along {}", size + set->modulus,
                     set->dim < 0 ? std::string("the flat position") : fmt::format("dim {}", set->dim));
}

int64_t unit_of(const Found& found) {
  const PositionSet* set = periodic_part(found.set);
  return set == nullptr ? 0 : set->modulus;
}

// One class in two texts: with another unit's name, by the flat position where that is the coordinate, or with and
// without positions that the rule leaves as they are.
bool same_class(const Scene& scene, const Found& a, const Found& b) {
  if (a.set.kind != PositionSet::Kind::residue || b.set.kind != a.set.kind) return false;
  if (a.set.modulus != b.set.modulus || (a.set.dim != b.set.dim && scene.rank > 1)) return false;
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const SetContext context = scene.context(at);
    for (const int64_t flat : scene.views[at].flat)
      if (const bool only_a = contains(a.set, context, flat); only_a != contains(b.set, context, flat)) {
        const WhatInstance& rule = only_a ? *a.what : *b.what;
        if (rule.listed() || !rule.predict(at, flat, 0).own) return false;
      }
  }
  return true;
}

// Whether what was seen of the place is one index of some dimension, the same in every case: more of that dimension
// shows nothing.
bool one_index(const Scene& scene, const Found& found) {
  std::vector<int64_t> index(static_cast<size_t>(scene.rank), -1);
  std::vector<uint8_t> one(static_cast<size_t>(scene.rank), 1);
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const SetContext context = scene.context(at);
    for (const int64_t flat : scene.views[at].failing_flat) {
      if (!contains(found.set, context, flat)) continue;
      for (int d = 0; d < scene.rank; ++d) {
        int64_t& known = index[static_cast<size_t>(d)];
        const int64_t here = scene.views[at].coordinate_of(flat, d);
        if (known >= 0 && known != here) one[static_cast<size_t>(d)] = 0;
        known = here;
      }
    }
  }
  return std::count(one.begin(), one.end(), 1) > 0;
}

std::optional<std::string> place_experiment(const Scene& scene, const Found& a, const Found& b) {
  if (b.where->id == "W1" && a.where->id != "W1" && is_single_element(scene, a)) return resize_experiment(unit_of(b));
  if (same_class(scene, a, b)) return std::nullopt;
  if ((a.set.kind == PositionSet::Kind::physical) != (b.set.kind == PositionSet::Kind::physical))
    return "make the operand contiguous: a place in storage order moves, one in logical order stays";
  // A list of boxes makes up any place; it is no claim about a period.
  const bool periods = a.set.kind != PositionSet::Kind::combination && b.set.kind != PositionSet::Kind::combination;
  if (periods && !a.unit.empty() && !b.unit.empty() && a.unit != b.unit) {
    if (a.where->id == "W1" && b.where->id == "W1")
      return fmt::format("n = U+1 for each unit U = {}, {}; the flip point is the unit", unit_of(a), unit_of(b));
    return std::string(kUnits);
  }
  if (one_of(kPlain, a.where->id) && one_of(kPeriodic, b.where->id)) return longer_run(scene, b);
  // Where the values follow the index, a rule by value only repeats the rule by index.
  if (a.where->id == "W14" && b.where->id != "W14" && b.where->id != "W0" && !scene.monotone)
    return "shuffle the input and unshuffle the output: an error by index stays, one by value moves with the value";
  return std::nullopt;
}

}  // namespace

std::string resize_experiment(int64_t unit) {
  const int64_t sizes[] = {unit - 1,     unit,     unit + 1,     unit + unit / 2,
                           2 * unit - 1, 2 * unit, 2 * unit + 1, 3 * unit + 5};
  return fmt::format("resize: n = {}", fmt::join(sizes, ", "));
}

bool is_single_element(const Scene& scene, const Found& found) {
  if (found.where->id == "W11") return true;
  return scene.rank == 1 && found.set.kind == PositionSet::Kind::last;
}

std::optional<std::string> parting_experiment(const Scene& scene, const Found& a, const Found& b) {
  const std::string_view va = a.what->family->id, vb = b.what->family->id;
  if (va != vb) {
    // Where two exact moves are of one index, each is the other.
    if (a.what->family->moves && b.what->family->moves && one_index(scene, a) && one_index(scene, b) &&
        scene.views.size() > 1)
      return std::nullopt;
    for (const ValuePair& pair : kValuePairs)
      if ((pair.a == va && pair.b == vb) || (pair.a == vb && pair.b == va)) return std::string(pair.experiment);
    return std::nullopt;
  }
  if (std::optional<std::string> one = place_experiment(scene, a, b)) return one;
  return place_experiment(scene, b, a);
}

std::vector<std::string> confirming_experiments(const Scene& scene, const Found& found) {
  std::vector<std::string> next;
  if (is_single_element(scene, found) && scene.count_max > 1) next.emplace_back(kOneElement);
  if (found.where->id == "W1" && scene.views.size() < 3) next.push_back(resize_experiment(unit_of(found)));
  const std::string_view what = found.what->family->id;
  bool second_run = true;
  for (const ObservedCase& one : scene.cases) {
    const bool fails =
        std::any_of(one.failing.begin(), one.failing.end(), [](uint8_t failing) { return failing != 0; });
    second_run = second_run && (!fails || !one.got_poison2.empty());
  }
  if ((what == "V1" || what == "V2") && !second_run) next.emplace_back("a second run with another poison pattern");
  if (what == "V4" && scene.buffers.size() == 1) next.emplace_back("another input on the second call");
  if (what == "V5" && scene.buffers.size() == 1 && scene.buffers[0].sizes[0] != scene.views[0].sizes)
    next.emplace_back("change the base, keep the view");
  if (found.unit.find(" or ") != std::string::npos) next.emplace_back(kUnits);
  if (what == "V24") next.emplace_back("repeat with two poison patterns; bring the other live buffers");
  return next;
}

}  // namespace faultline
