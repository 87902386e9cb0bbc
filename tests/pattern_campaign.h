// The campaign of the pattern engine: which places and values occur together, planting one trial, and the judgement of
// a report by what was planted.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>

#include "tests/pattern_places.h"
#include "tests/pattern_values.h"

namespace faultline::planting {

struct Excluded {
  std::string_view where, what, reason;
};

inline constexpr Excluded kExcluded[] = {
    {"W14", "V4", "what moves or reuses elements never looks at their values"},
    {"W14", "V5", "as W14 with V4"},
    {"W14", "V6", "as W14 with V4"},
    {"W14", "V7", "as W14 with V4"},
    {"W14", "V8", "as W14 with V4"},
    {"W14", "V9", "as W14 with V4"},
    {"W14", "V10", "as W14 with V4"},
    {"W14", "V11", "as W14 with V4"},
    {"W14", "V12", "an index says where something was found: it is not a number that an error could follow"},
    {"W14", "V13", "as W14 with V12"},
    {"W14", "V16", "which elements it changes is already said by the value: no place says more"},
    {"W14", "V23", "as W14 with V16"},
    {"W0", "V24", "all elements without a rule for their values are the plain list"},
    {"W11", "V24", "one element with a value that no rule explains is the plain list itself"},
};

inline bool occur_together(std::string_view where, std::string_view what) {
  return std::none_of(std::begin(kExcluded), std::end(kExcluded),
                      [&](const Excluded& pair) { return pair.where == where && pair.what == what; });
}

inline void add_buffers(Plant& plant, const Value& value, int variant, uint64_t seed) {
  ObservedCase& one = plant.one;
  const int64_t count = element_count(one.sizes);
  one.previous_output = make_data(count, one.dtype, value.data, seed, "previous");
  if (value.family == "V12") {
    one.buffers.push_back(
        {"input 0", make_data(35, DType::f16, Data::codes, seed, "operand"), {5, 7}, {1, 5}, DType::f16});
    return;
  }
  one.buffers.push_back({"input 0", make_data(count, one.dtype, value.data, seed, "input"), one.sizes});
  one.partner_right = value.family == "V13";
  if (value.family == "V18" && variant % 3 == 2) one.poison1 = nearest(one.dtype, 1.375);
  if (value.family != "V19") return;
  one.contraction_blocks.resize(3);
  for (size_t k = 0; k < 3; ++k) {
    const std::vector<uint64_t> bits = make_data(count, DType::f32, Data::numbers, seed, fmt::format("block {}", k));
    for (const uint64_t b : bits) one.contraction_blocks[k].push_back(number(DType::f32, b));
  }
  for (size_t k = 0; k < one.reference.size(); ++k)
    one.reference[k] =
        nearest(one.dtype, one.contraction_blocks[0][k] + one.contraction_blocks[1][k] + one.contraction_blocks[2][k]);
}

// One run: the value at every element of the place. `runs` 2: with a second run over the second poison.
inline Plant plant(const Place& place, size_t row, const Value& value, int variant, DType dtype, const Sizes& sizes,
                   uint64_t seed, int runs) {
  Plant made = right_run(sizes, dtype, value.data, seed);
  ObservedCase& one = made.one;
  one.strides = place.strides;
  if (!one.strides.empty()) one.strides[1] = sizes[0];
  add_buffers(made, value, variant, seed);
  one.got = one.reference;
  if (runs == 2) {
    one.poison2 = value.family == "V18" && variant % 3 == 2 ? nearest(dtype, -2.25) : poison(dtype, 1);
    one.got_poison2 = one.reference;
  }
  const Setting setting{made, dtype, variant};
  for (int64_t k = 0; k < count_of(made); ++k) {
    const auto index = static_cast<size_t>(k);
    const bool inside = place.by_value ? value_holds(row, number(dtype, one.reference[index])) : place.holds(sizes, k);
    made.planted[index] = inside ? 1 : 0;
    if (!inside) continue;
    for (int run = 0; run < runs; ++run)
      if (const Bits bits = value.at(setting, k, run)) (run == 0 ? one.got : one.got_poison2)[index] = *bits;
    made.seen[index] = one.got[index] != one.reference[index] ? 1 : 0;
  }
  judge(one);
  return made;
}

struct Trial {
  const Place* place = nullptr;
  const Value* value = nullptr;
  size_t row = 0;
  int variant = 0;
  DType dtype = DType::f32;
  std::string name;
  std::string where_family, what_family;
  std::string where_text, what_text;
  std::vector<Plant> runs;

  int64_t seen(size_t run) const { return std::count(runs[run].seen.begin(), runs[run].seen.end(), 1); }
  std::vector<ObservedCase> cases() const {
    std::vector<ObservedCase> list;
    for (const Plant& run : runs) list.push_back(run.one);
    return list;
  }
};

// `sweep` false: the first sizes alone, over one poison.
inline Trial make_trial(const Place& place, size_t row, const Value& value, int variant, DType dtype, bool sweep) {
  Trial trial{&place,
              &value,
              row,
              variant,
              dtype,
              fmt::format("{} x {}, {}, variant {}, {}", place.family, value.family, place.text, variant, name(dtype)),
              std::string(place.family),
              std::string(value.family),
              std::string(place.text),
              "",
              {}};
  for (size_t k = 0; k < (sweep ? place.sizes.size() : 1); ++k)
    trial.runs.push_back(plant(place, row, value, variant, dtype, place.sizes[k], 100 * row + k, sweep ? 2 : 1));
  trial.what_text = value.text({trial.runs[0], dtype, variant});
  return trial;
}

// Follows an experiment that asks for other sizes; false where it asks for something else.
inline bool follow(const std::string& next, Trial& trial) {
  const Sizes& first = trial.place->sizes[0];
  const auto add = [&](size_t dim, int64_t size) {
    Sizes sizes = first;
    sizes[dim] = size;
    const size_t number = trial.runs.size();
    trial.runs.push_back(
        plant(*trial.place, trial.row, *trial.value, trial.variant, trial.dtype, sizes, 1000 + number, 2));
  };
  long long size = 0;
  size_t dim = 0;
  if (sscanf(next.c_str(), "a run of %lld along dim %zu", &size, &dim) == 2) return add(dim, size), true;
  if (sscanf(next.c_str(), "a run of %lld along the flat position", &size) != 1) return false;
  const int64_t inner = element_count(first) / first[0];
  return add(0, (size + inner - 1) / inner), true;
}

// Features of the reference, as value rules name them.
inline double feature(const ObservedCase& one, std::string_view source, std::string_view what, int64_t k) {
  if (source != "ref") return -1;
  const uint64_t bits = one.reference[static_cast<size_t>(k)];
  const double value = number(one.dtype, bits);
  if (what == "magnitude") return std::fabs(value);
  if (what == "sign") return bits >> (width_of(one.dtype) - 1) != 0 ? 1 : 0;
  if (!is_float(one.dtype)) {
    if (what == "class") return value == 0 ? 0 : 2;
    return value == 0 ? 0 : std::floor(std::log2(std::fabs(value))) + 1;
  }
  const Format f = format_of(one.dtype);
  const uint64_t rest = bits & ones(f.exponent + f.fraction), exponent = rest >> f.fraction;
  if (what == "exponent") return static_cast<double>(exponent);
  if (rest == 0) return 0;
  if (exponent == ones(f.exponent)) return (rest & ones(f.fraction)) == 0 ? 3 : 4;
  return exponent == 0 ? 1 : 2;
}

// The set holds every planted element that is seen, and of the others none that is not planted, in every run.
inline bool same_place(const PositionSet& set, const Trial& trial) {
  for (const Plant& run : trial.runs) {
    SetContext context{run.one.sizes, run.one.strides, run.one.offset, {}};
    context.feature_of = [&](std::string_view source, std::string_view what, int64_t k) {
      return feature(run.one, source, what, k);
    };
    for (int64_t k = 0; k < count_of(run); ++k) {
      const auto index = static_cast<size_t>(k);
      const bool inside = contains(set, context, k);
      if (run.seen[index] != 0 && !inside) return false;
      if (run.planted[index] == 0 && inside) return false;
    }
  }
  return true;
}

enum class Judgement { exact, equal, ambiguous, wrong };

inline bool says(const Explanation& one, const Trial& trial) {
  const auto has = [&](const std::string& text) { return text.find(trial.what_text) != std::string::npos; };
  return has(one.what) || std::any_of(one.variants.begin(), one.variants.end(), has);
}

inline Judgement judgement(const PatternReport& report, const Trial& trial) {
  using enum PatternStatus;
  // One element alone has no name yet.
  const bool one_element = trial.where_family == "W11" && trial.runs.size() == 1;
  if (one_element && report.status == unstructured && !report.next.empty() &&
      report.next[0].find("resize") != std::string::npos)
    return Judgement::ambiguous;
  if (report.explanations.empty()) return Judgement::wrong;
  const Explanation& best = report.explanations[0];
  const bool listed = trial.what_family == "V24";
  if (report.status == named || (listed && report.status == partial)) {
    if (!listed && best.exceptions != 0) return Judgement::wrong;
    const bool place = same_place(best.set, trial);
    if (place && says(best, trial))
      return best.where_family == trial.where_family && best.what_family == trial.what_family ? Judgement::exact
                                                                                              : Judgement::equal;
    const std::string text = trial.where_text + ": ";
    const bool variant = std::any_of(best.variants.begin(), best.variants.end(), [&](const std::string& one) {
      return one.find(text) != std::string::npos && one.find(trial.what_text) != std::string::npos;
    });
    if (variant) return Judgement::equal;
    return Judgement::wrong;
  }
  if (report.status != ambiguous || report.next.empty()) return Judgement::wrong;
  if (one_element && same_place(report.explanations[0].set, trial)) return Judgement::ambiguous;
  for (const Explanation& one : report.explanations)
    if (one.exceptions == 0 && same_place(one.set, trial) && says(one, trial)) return Judgement::ambiguous;
  return Judgement::wrong;
}

// The judgement of a sweep, after the sizes that its reports ask for.
inline Judgement settled(Trial& trial, PatternReport& report) {
  constexpr int kRounds = 3;
  Judgement found = Judgement::ambiguous;
  for (int round = 0; found == Judgement::ambiguous; ++round) {
    report = name_pattern(trial.cases(), hints());
    found = judgement(report, trial);
    bool asked = false;
    for (const std::string& next : report.next)
      if (found == Judgement::ambiguous && round < kRounds) asked |= follow(next, trial);
    if (!asked) break;
  }
  return found;
}

inline std::vector<Place> all_places() {
  std::vector<Place> places = index_places();
  places.insert(places.end(), value_places().begin(), value_places().end());
  return places;
}

struct Tally {
  int exact = 0, equal = 0, ambiguous = 0, wrong = 0;

  void add(Judgement found) {
    ++(found == Judgement::exact       ? exact
       : found == Judgement::equal     ? equal
       : found == Judgement::ambiguous ? ambiguous
                                       : wrong);
  }
  int total() const { return exact + equal + ambiguous + wrong; }
  double right() const { return total() == 0 ? 1 : static_cast<double>(exact + equal) / total(); }
};
using Tallies = std::map<std::string, Tally>;

struct Campaign {
  Tallies alone, where, what;
  std::vector<std::string> misses;

  void add(const Place& place, size_t row, const Value& value, DType dtype) {
    const int variant = static_cast<int>(row);
    const Trial single = make_trial(place, row, value, variant, dtype, false);
    if (single.seen(0) > 0) {
      const PatternReport report = name_pattern(single.cases(), hints());
      const Judgement found = judgement(report, single);
      alone[single.where_family].add(found);
      if (found == Judgement::wrong) misses.push_back("alone: " + single.name + "\n" + to_text(report));
    }
    Trial sweep = make_trial(place, row, value, variant, dtype, true);
    // Where one run of all shows something, there was no sweep.
    const auto seen = std::count_if(sweep.runs.begin(), sweep.runs.end(), [](const Plant& run) {
      return std::count(run.seen.begin(), run.seen.end(), 1) > 0;
    });
    if (seen < 2) return;
    PatternReport report;
    const Judgement found = settled(sweep, report);
    where[sweep.where_family].add(found);
    what[sweep.what_family].add(found);
    if (found != Judgement::exact && found != Judgement::equal)
      misses.push_back("swept: " + sweep.name + ", V = " + sweep.what_text + "\n" + to_text(report));
  }

  static std::string table(const Tallies& tallies) {
    std::string text;
    for (const auto& [family, tally] : tallies)
      text += fmt::format("  {:4} right {} of {} ({} in other words), ambiguous {}, wrong {}\n", family,
                          tally.exact + tally.equal, tally.total(), tally.equal, tally.ambiguous, tally.wrong);
    return text;
  }
  std::string text() const {
    return "one run alone:\n" + table(alone) + "swept, by place:\n" + table(where) + "swept, by value:\n" + table(what);
  }
  static Tally sum(const Tallies& tallies) {
    Tally all;
    for (const auto& [family, tally] : tallies) {
      all.exact += tally.exact, all.equal += tally.equal;
      all.ambiguous += tally.ambiguous, all.wrong += tally.wrong;
    }
    return all;
  }
};

// Every row of places with every value, each with the types that `take` chooses by the numbers of row, value and type.
inline Campaign run_campaign(bool (*take)(size_t place, size_t value, size_t type)) {
  Campaign campaign;
  size_t row = 0, number = 0;
  std::string_view family;
  for (const Place& place : all_places()) {
    row = place.family == family ? row + 1 : 0;
    family = place.family;
    for (size_t v = 0; v < values().size(); ++v) {
      const Value& value = values()[v];
      if (!occur_together(place.family, value.family) || place.sizes[0].size() < value.least_rank) continue;
      for (size_t type = 0; type < value.dtypes.size(); ++type)
        if (take(number, v, type)) campaign.add(place, row, value, value.dtypes[type]);
    }
    ++number;
  }
  return campaign;
}

}  // namespace faultline::planting
