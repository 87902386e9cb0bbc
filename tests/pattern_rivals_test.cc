// What one run cannot decide: the pattern engine says so, prints the right rival and the experiment that parts them,
// and names it once that experiment is made. Data that show too little; order by value against order by index; values
// that moved under rounding; and what a verdict's evidence carries to the engine.
#include <gtest/gtest.h>

#include "checkers/describe.h"
#include "tests/pattern_two.h"

namespace faultline::planting {
namespace {

using Holds = bool (*)(const Sizes&, int64_t);

Plant planted(const Sizes& sizes, DType dtype, std::string_view family, Holds holds, uint64_t seed = 4, int runs = 1) {
  const Place place{"", "", {sizes}, holds};
  return plant(place, 0, value_of_family(family), 0, dtype, sizes, seed, runs);
}

PatternReport named_of(const std::vector<Plant>& runs, const std::vector<UnitHint>& units = hints()) {
  std::vector<ObservedCase> cases;
  for (const Plant& run : runs) cases.push_back(run.one);
  return name_pattern(cases, units);
}

bool has(const PatternReport& report, std::string_view where, std::string_view what) {
  return std::any_of(report.explanations.begin(), report.explanations.end(), [&](const Explanation& one) {
    return one.where == where && one.what.find(what) != std::string::npos;
  });
}

bool asks(const PatternReport& report, std::string_view text) {
  return std::any_of(report.next.begin(), report.next.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

bool is_named(const PatternReport& report, std::string_view where, std::string_view what) {
  return report.status == PatternStatus::named && has(report, where, what);
}

bool tail64(const Sizes& n, int64_t k) { return k >= n[0] / 64 * 64; }

TEST(PatternRivals, LastElementOrTail) {
  for (const DType dtype : kFloats) {
    const PatternReport one = named_of({planted({65}, dtype, "V2", tail64)});
    EXPECT_EQ(one.status, PatternStatus::ambiguous) << to_text(one);
    EXPECT_TRUE(has(one, "last of dim 0", "zero")) << to_text(one);
    EXPECT_TRUE(asks(one, "resize: n = ")) << to_text(one);
    std::vector<Plant> runs;
    for (const int64_t n : {64, 65, 96, 127, 128, 129, 197})
      runs.push_back(planted({n}, dtype, "V2", [](N s, int64_t k) { return tail64(s, k); }, 4, 2));
    EXPECT_TRUE(is_named(named_of(runs), "tail of dim 0 beyond k*64", "zero")) << to_text(named_of(runs));
  }
}

TEST(PatternRivals, UnitsOfATail) {
  for (const DType dtype : kFloats) {
    const auto columns = [](N s, int64_t k) { return i(s, 1, k) >= s[1] / 32 * 32; };
    const PatternReport one = named_of({planted({9, 61}, dtype, "V2", columns)});
    EXPECT_EQ(one.status, PatternStatus::named) << "29 columns are no tail of 4, 8 or 16\n" << to_text(one);
    const PatternReport open = named_of({planted({9, 70}, dtype, "V2", columns)});
    EXPECT_EQ(open.status, PatternStatus::ambiguous) << to_text(open);
    EXPECT_TRUE(asks(open, "n = U+1 for each unit U = ")) << to_text(open);
    std::vector<Plant> runs;
    for (const int64_t n : {33, 65, 70}) runs.push_back(planted({9, n}, dtype, "V2", columns, 4, 2));
    runs.push_back(planted({9, 53}, dtype, "V2", columns, 4, 2));
    EXPECT_TRUE(is_named(named_of(runs), "tail of dim 1 beyond k*32", "zero")) << to_text(named_of(runs));
  }
}

// Memory that was zeroed: nothing tells what nobody wrote from what was cleared. Two patterns do.
TEST(PatternRivals, UnwrittenOrZeroOrStale) {
  for (const DType dtype : kFloats) {
    Plant run = planted({100}, dtype, "V2", tail64);
    run.one.poison1 = 0;
    std::fill(run.one.previous_output.begin(), run.one.previous_output.end(), 0);
    const PatternReport one = named_of({run});
    EXPECT_EQ(one.status, PatternStatus::ambiguous) << to_text(one);
    for (const std::string_view what : {"unwritten", "zero", "stale: previous output"})
      EXPECT_TRUE(has(one, "tail of dim 0 beyond k*64", what)) << to_text(one);
    EXPECT_TRUE(asks(one, "two poison patterns, and another input on the second call")) << to_text(one);
    for (const auto& [family, text] :
         {std::pair{"V1", "unwritten"}, {"V2", "zero"}, {"V4", "stale: previous output"}}) {
      const std::vector<Plant> runs{planted({100}, dtype, family, tail64, 4, 2),
                                    planted({205}, dtype, family, tail64, 5, 2)};
      EXPECT_TRUE(is_named(named_of(runs), "tail of dim 0 beyond k*64", text)) << to_text(named_of(runs));
    }
  }
}

// Two units of one length in a type; in another the stick is longer, and the period stays.
TEST(PatternRivals, StickOrCoreShare) {
  const auto lane = [](N, int64_t k) { return k % 32 == 31; };
  const PatternReport one = named_of({planted({500}, DType::f32, "V3", lane)}, {{32, "stick"}, {32, "core share"}});
  EXPECT_EQ(one.status, PatternStatus::named) << to_text(one);
  EXPECT_EQ(one.explanations[0].unit, "stick 32 or core share 32");
  EXPECT_TRUE(asks(one, "another dtype")) << to_text(one);
  const PatternReport half = named_of({planted({500}, DType::f16, "V3", lane)}, {{64, "stick"}, {32, "core share"}});
  EXPECT_EQ(half.explanations[0].unit, "core share 32") << to_text(half);
  EXPECT_FALSE(asks(half, "another dtype")) << to_text(half);
}

TEST(PatternRivals, DuplicateOrStale) {
  for (const DType dtype : kFloats) {
    const auto tile = [](N n, int64_t k) { return i(n, 0, k) / 8 == 2 && i(n, 1, k) / 16 == 2; };
    Plant run = planted({40, 64}, dtype, "V9", tile);
    for (int64_t k = 0; k < count_of(run); ++k)
      if (tile(run.one.sizes, k)) run.one.previous_output[static_cast<size_t>(k)] = run.one.got[static_cast<size_t>(k)];
    const PatternReport one = named_of({run});
    EXPECT_EQ(one.status, PatternStatus::ambiguous) << to_text(one);
    EXPECT_TRUE(asks(one, "swap the order of the tiles; new data")) << to_text(one);
    const PatternReport fresh = named_of({planted({40, 64}, dtype, "V9", tile)});
    EXPECT_TRUE(is_named(fresh, "tile (2,2) of 8x16", "duplicate of tile 8x16 number (0,1)")) << to_text(fresh);
  }
}

TEST(PatternRivals, OneElementOrFlip) {
  const auto element = [](N, int64_t k) { return k == 41; };
  Plant run = planted({97}, DType::f16, "V20", element);
  const PatternReport one = named_of({run});
  EXPECT_NE(one.status, PatternStatus::named) << to_text(one);
  EXPECT_TRUE(asks(one, "repeat, then resize")) << to_text(one);
  run.one.repeats = {run.one.reference};
  EXPECT_EQ(named_of({run}).explanations.at(0).where_family, "W15");
  const PatternReport sizes =
      named_of({planted({97}, DType::f16, "V20", element, 4), planted({70}, DType::f16, "V20", element, 5),
                planted({53}, DType::f16, "V20", element, 6)});
  EXPECT_TRUE(has(sizes, "[41,42)", "")) << to_text(sizes);
  EXPECT_EQ(sizes.status, PatternStatus::named) << to_text(sizes);
}

// Row 5 of a tensor that is stored by columns of 32 is a lane of its storage as well.
TEST(PatternRivals, LogicalOrPhysical) {
  for (const DType dtype : kFloats) {
    Plant run = planted({32, 37}, dtype, "V2", [](N n, int64_t k) { return i(n, 0, k) == 5; });
    run.one.strides = {1, 32};
    const PatternReport one = named_of({run});
    EXPECT_EQ(one.status, PatternStatus::ambiguous) << to_text(one);
    EXPECT_TRUE(has(one, "dim 0 = 5", "zero") && has(one, "phys {i : i mod 32 = 5}", "zero")) << to_text(one);
    EXPECT_TRUE(asks(one, "make the operand contiguous")) << to_text(one);
    run.one.strides = {};
    const Plant longer = planted({73, 19}, dtype, "V2", [](N n, int64_t k) { return i(n, 0, k) == 5; }),
                longest = planted({140, 7}, dtype, "V2", [](N n, int64_t k) { return i(n, 0, k) == 5; });
    const PatternReport moved = named_of({run, longer, longest});
    EXPECT_TRUE(is_named(moved, "dim 0 = 5", "zero")) << to_text(moved);
  }
}

TEST(PatternRivals, UniformDataTellNothing) {
  for (const DType dtype : kFloats) {
    const auto rows = [](N n, int64_t k) { return i(n, 0, k) >= 9; };
    Plant run = planted({31, 37}, dtype, "V6", rows);
    // Two of three columns in a row hold the same value.
    for (int64_t k = 0; k < count_of(run); ++k)
      if (k % 37 % 3 != 0)
        run.one.reference[static_cast<size_t>(k)] = run.one.reference[static_cast<size_t>(k - k % 37 % 3)];
    run.one.got = run.one.reference;
    for (int64_t k = 0; k < count_of(run); ++k)
      if (rows(run.one.sizes, k) && k % 37 != 0)
        run.one.got[static_cast<size_t>(k)] = run.one.reference[static_cast<size_t>(k - 1)];
    judge(run.one);
    const PatternReport one = named_of({run});
    EXPECT_EQ(one.status, PatternStatus::ambiguous) << to_text(one);
    EXPECT_LT(one.informative_share, 0.5);
    EXPECT_EQ(one.notes.at(0), "data too uniform to tell") << to_text(one);
    EXPECT_TRUE(asks(one, "rerun with inputs that code their own address"));
    EXPECT_TRUE(is_named(named_of({planted({31, 37}, dtype, "V6", rows)}), "rows 9.. of dim 0", "shifted by 1 column"));
  }
}

// Numbers of 4 and more are scaled, in an order of values that is or is not that of the places.
TEST(PatternRivals, ByValueOrByIndex) {
  for (const DType dtype : kFloats) {
    Plant run = right_run({400}, dtype, Data::numbers, 9);
    for (uint64_t& bits : run.one.reference) bits &= ones(width_of(dtype) - 1);
    const auto scale = [&](Plant& made) {
      made.one.got = made.one.reference;
      for (uint64_t& bits : made.one.got)
        if (number(dtype, bits) >= 4) bits = nearest(dtype, number(dtype, bits) * 4);
      judge(made.one);
    };
    scale(run);
    const PatternReport value = named_of({run});
    EXPECT_EQ(value.organisation, "value") << to_text(value);
    EXPECT_EQ(value.status, PatternStatus::named) << to_text(value);
    EXPECT_EQ(value.explanations[0].where_family, "W14") << to_text(value);
    std::sort(run.one.reference.begin(), run.one.reference.end());
    scale(run);
    const PatternReport both = named_of({run});
    EXPECT_NE(both.status, PatternStatus::named) << to_text(both);
    EXPECT_EQ(both.organisation, "both") << to_text(both);
    EXPECT_TRUE(asks(both, "permute the values and rerun")) << to_text(both);
    const PatternReport index = named_of({planted({400}, dtype, "V17", [](N, int64_t k) { return k >= 300; })});
    EXPECT_EQ(index.organisation, "index") << to_text(index);
  }
}

// Every element is a little off, within its tolerance, and so is what moved.
TEST(PatternRivals, MovedUnderRounding) {
  for (const std::string_view family : {"V6", "V7", "V8", "V9", "V10", "V11"})
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
      for (const size_t row : {5, 21}) {
        const Place& place = index_places()[row];
        const Value& value = value_of_family(family);
        if (place.sizes[0].size() < value.least_rank) continue;
        Trial trial =
            make_trial(place, 1, {value.family, Data::numbers, value.dtypes, value.at, value.text, value.least_rank}, 1,
                       dtype, true);
        trial.runs.resize(2);
        PhiloxStream draws(8, "rounding");
        for (Plant& run : trial.runs) {
          for (size_t k = 0; k < run.one.reference.size(); ++k) {
            run.one.tolerance.push_back(std::fabs(number(dtype, run.one.reference[k])) *
                                        std::pow(2.0, 1 - format_of(dtype).fraction));
            const bool low = run.planted[k] == 0 || run.one.got[k] == run.one.reference[k];
            if (low || run.seen[k] != 0) run.one.got[k] ^= draws.below(2);
          }
          run.one.got_poison2.clear();
          judge(run.one);
        }
        const PatternReport report = named_of(trial.runs);
        EXPECT_EQ(report.status, PatternStatus::named) << trial.name << "\n" << to_text(report);
        ASSERT_FALSE(report.explanations.empty());
        EXPECT_TRUE(says(report.explanations[0], trial)) << trial.name << "\n" << to_text(report);
      }
}

// A verdict's evidence says the same to the engine as the cases that it was made of.
TEST(PatternEvidence, CarriesWhatARunShows) {
  int named = 0;
  for (const std::string_view family : {"V1", "V2", "V4", "V6", "V10", "V20"})
    for (const size_t row : {4, 5, 8, 12, 20}) {
      const DType dtype = kFloats[row % 3];
      const Trial trial = make_trial(index_places()[row], 0, value_of_family(family), 0, dtype, true);
      Evidence evidence;
      evidence.units = {{"stick", 64}, {"half stick", 32}};
      for (const Plant& run : trial.runs) {
        TensorEvidence tensor;
        tensor.name = "y";
        tensor.eager_type = tensor.actual_type = contiguous_type(dtype, run.one.sizes);
        tensor.eager = run.one.reference;
        tensor.actual = run.one.got;
        tensor.actual_second_poison = run.one.got_poison2;
        tensor.poison = run.one.poison1;
        tensor.second_poison = run.one.poison2;
        tensor.previous_call = run.one.previous_output;
        if (evidence.tensors.empty()) evidence.tensors = {tensor};
        evidence.sweep.push_back({run.one.sizes[0], "", tensor});
      }
      const PatternReport report = name_tensor(evidence, 0);
      named += report.status == PatternStatus::named && says(report.explanations[0], trial) &&
                       same_place(report.explanations[0].set, trial)
                   ? 1
                   : 0;
      EXPECT_NE(report.status, PatternStatus::unstructured) << trial.name << to_text(report);
    }
  EXPECT_GE(named, 20) << "of 30; without tile hints some places are rows or lists";
}

TensorEvidence tensor_of(std::string name, const Plant& run, TensorRole role = TensorRole::output) {
  TensorEvidence tensor;
  tensor.name = std::move(name);
  tensor.role = role;
  tensor.eager_type = tensor.actual_type = contiguous_type(run.one.dtype, run.one.sizes);
  tensor.eager = run.one.reference;
  tensor.actual = run.one.got;
  return tensor;
}

TEST(PatternEvidence, OtherTensorsOfTheCallAreKnown) {
  Evidence evidence;
  Plant y = right_run({150}, DType::f16, Data::codes, 1), x = right_run({150}, DType::f16, Data::numbers, 2);
  for (size_t k = 128; k < 150; ++k) y.one.got[k] = x.one.reference[k];
  evidence.tensors = {tensor_of("y", y), tensor_of("x", x, TensorRole::input_after)};
  evidence.units = {{"stick", 64}};
  PatternReport report = name_tensor(evidence, 0);
  EXPECT_TRUE(is_named(report, "tail of dim 0 beyond k*64", "holds input x")) << to_text(report);

  // The input is not the program's to write.
  x.one.got[3] = x.one.got[4] = x.one.got[5] = x.one.got[6] = 0;
  evidence.tensors = {tensor_of("y", right_run({150}, DType::f16, Data::codes, 1)),
                      tensor_of("x", x, TensorRole::input_after)};
  report = name_tensor(evidence, 1);
  ASSERT_FALSE(report.explanations.empty());
  EXPECT_EQ(report.explanations[0].where_family, "W12") << to_text(report);
}

TEST(PatternEvidence, ValuesBesideAnIndexAndRepeats) {
  Evidence evidence;
  Plant index = planted({90}, DType::i64, "V13", [](N, int64_t) { return true; }),
        value = right_run({90}, DType::f32, Data::numbers, 2);
  evidence.tensors = {tensor_of("values", value), tensor_of("indices", index)};
  evidence.tensor_operation = {0, 0};
  EXPECT_TRUE(is_named(name_tensor(evidence, 1), "all", "index 0, values right"));
  evidence.tensors = {tensor_of("values", value)};
  evidence.tensors[0].actual[7] = 0;
  evidence.tensors[0].actual_repeat = value.one.reference;
  EXPECT_EQ(name_tensor(evidence, 0).explanations.at(0).where_family, "W15");
}

}  // namespace
}  // namespace faultline::planting
