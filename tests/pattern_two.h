// Two patterns in one tensor: the second is planted over the first.
#pragma once

#include "tests/pattern_campaign.h"

namespace faultline::planting {

struct Both {
  Sizes sizes;
  bool (*first_holds)(const Sizes& sizes, int64_t flat);
  bool (*second_holds)(const Sizes& sizes, int64_t flat);
};

inline const std::vector<Both>& pairs_of_places() {
  static const std::vector<Both> rows = {
      {{40, 100}, [](N n, int64_t k) { return i(n, 1, k) >= 64; }, [](N n, int64_t k) { return i(n, 0, k) == 7; }},
      {{40, 64},
       [](N n, int64_t k) { return i(n, 0, k) / 8 == 1 && i(n, 1, k) / 16 == 2; },
       [](N n, int64_t k) { return i(n, 0, k) / 8 == 3 && i(n, 1, k) / 16 == 1; }},
      {{48, 61}, [](N n, int64_t k) { return i(n, 1, k) % 8 == 3; }, [](N n, int64_t k) { return i(n, 0, k) >= 31; }},
      {{500}, [](N, int64_t k) { return k >= 448; }, [](N, int64_t k) { return k % 64 == 5; }},
      {{3, 35, 29}, [](N n, int64_t k) { return i(n, 1, k) >= 32; }, [](N n, int64_t k) { return i(n, 2, k) == 11; }},
  };
  return rows;
}

inline const Value& value_of_family(std::string_view family) {
  return *std::find_if(values().begin(), values().end(), [&](const Value& one) { return one.family == family; });
}

struct TwoTally {
  int right = 0, total = 0;
  std::string text;
};

inline bool holds_all(const PositionSet& set, const Plant& run, const std::vector<uint8_t>& seen) {
  const SetContext context{run.one.sizes, {}, 0, {}};
  for (int64_t k = 0; k < count_of(run); ++k)
    if (seen[static_cast<size_t>(k)] != 0 && !contains(set, context, k)) return false;
  return true;
}

inline bool mentions_part(const PatternReport& report, const Plant& run, const std::vector<uint8_t>& seen,
                          const std::string& text) {
  return std::any_of(report.explanations.begin(), report.explanations.end(), [&](const Explanation& one) {
    const bool read = std::any_of(one.variants.begin(), one.variants.end(),
                                  [&](const std::string& other) { return other.find(text) != std::string::npos; });
    return (read || one.what.find(text) != std::string::npos) && holds_all(one.set, run, seen);
  });
}

inline bool both_named(const Both& row, const Value& first, const Value& second, DType dtype, int variant,
                       std::string& text) {
  Plant run = right_run(row.sizes, dtype, Data::codes, 77);
  for (const Value* value : {&first, &second})
    if (run.one.buffers.empty()) add_buffers(run, *value, variant, 77);
  std::vector<uint8_t> seen[2] = {run.planted, run.planted};
  const Setting setting{run, dtype, variant};
  for (int64_t k = 0; k < count_of(run); ++k) {
    const auto index = static_cast<size_t>(k);
    const bool inside[2] = {row.first_holds(row.sizes, k), row.second_holds(row.sizes, k)};
    for (int part = 0; part < 2; ++part) {
      if (!inside[part] || (part == 0 && inside[1])) continue;
      const Bits bits = (part == 0 ? first : second).at(setting, k, 0);
      if (!bits || *bits == run.one.reference[index]) continue;
      run.one.got[index] = *bits;
      seen[part][index] = 1;
    }
  }
  judge(run.one);
  const PatternReport report = name_pattern({&run.one, 1}, hints());
  const bool right = report.status == PatternStatus::composite && report.explanations.size() == 2 &&
                     mentions_part(report, run, seen[0], first.text(setting)) &&
                     mentions_part(report, run, seen[1], second.text(setting));
  if (!right)
    text += fmt::format("{} and {}, {}, {}\n{}", first.family, second.family, fmt::join(row.sizes, "x"), name(dtype),
                        to_text(report));
  return right;
}

inline TwoTally run_two(bool (*take)(size_t number)) {
  constexpr std::string_view kValues[] = {"V1", "V2", "V4", "V5", "V6", "V20", "V3", "V21"};
  TwoTally tally;
  size_t number = 0;
  for (const Both& row : pairs_of_places())
    for (size_t a = 0; a < std::size(kValues); ++a)
      for (size_t b = 0; b < std::size(kValues); ++b) {
        if (a == b || !take(number++)) continue;
        const DType dtype = kFloats[(a + b) % 3];
        ++tally.total;
        tally.right +=
            both_named(row, value_of_family(kValues[a]), value_of_family(kValues[b]), dtype, 0, tally.text) ? 1 : 0;
      }
  return tally;
}

}  // namespace faultline::planting
