// The quick part of the pattern engine's campaign: that its tables are whole, a sample of places with values, two at
// once, clean data, scatter, what no place rule decides (elsewhere, moving), order by value or by index, and pairs that
// one run cannot part with the experiment that does.
#include <gtest/gtest.h>

#include <set>

#include "checkers/patterns/families.h"
#include "tests/pattern_campaign.h"
#include "tests/pattern_scatter.h"
#include "tests/pattern_two.h"

namespace faultline::planting {
namespace {

bool mentions(const std::vector<std::string>& lines, std::string_view text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

TEST(PatternCampaign, EveryFamilyIsPlanted) {
  std::map<std::string, std::set<std::string>> shapes;
  for (const Place& place : all_places())
    for (const Sizes& sizes : place.sizes)
      shapes[std::string(place.family)].insert(fmt::format("{}", fmt::join(sizes, "x")));
  for (const WhereFamily* family : where_families.rows) {
    // Decided without a place rule, and tested below.
    if (family->propose == nullptr) continue;
    EXPECT_GE(shapes[std::string(family->id)].size(), 3U) << family->id;
  }
  for (const WhatFamily* family : what_families.rows) {
    const Value& value = value_of_family(family->id);
    EXPECT_GE(value.dtypes.size(), 3U) << family->id;
  }
  for (const Excluded& pair : kExcluded) EXPECT_FALSE(pair.reason.empty());
}

// One place in nineteen with each value, so that every place and every value has its turn.
TEST(PatternCampaign, SampleOfPlacesAndValues) {
  const Campaign campaign = run_campaign([](size_t place, size_t value, size_t type) {
    return (place + 3 * value) % 19 == 0 && type == (place + value) % 3;
  });
  for (const std::string& miss : campaign.misses) ADD_FAILURE() << miss;
  EXPECT_EQ(campaign.where.size(), 13U) << campaign.text();
  EXPECT_EQ(campaign.what.size(), 24U) << campaign.text();
}

TEST(PatternCampaign, SampleOfTwoAtOnce) {
  const TwoTally tally = run_two([](size_t number) { return number % 23 == 0; });
  EXPECT_EQ(tally.right, tally.total) << tally.text;
  EXPECT_GE(tally.total, 10);
}

TEST(PatternCampaign, CleanDataHasNoPattern) {
  for (const Sizes& sizes : {Sizes{65}, Sizes{23, 37}, Sizes{3, 11, 17}, Sizes{}})
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::i32, DType::i64}) {
      Plant plant = right_run(sizes, dtype, Data::numbers, 5);
      plant.one.previous_output = make_data(count_of(plant), dtype, Data::numbers, 5, "previous");
      const PatternReport report = name_pattern({&plant.one, 1}, hints());
      EXPECT_EQ(report.status, PatternStatus::clean);
      EXPECT_TRUE(report.explanations.empty() && report.next.empty() && report.notes.empty()) << to_text(report);
    }
}

TEST(PatternCampaign, SampleOfScatter) {
  for (uint64_t seed = 5000; seed < 5030; ++seed) EXPECT_TRUE(scatter_without_name(seed)) << seed;
}

// W12: bytes that are not the output's.
TEST(PatternCampaign, ElsewhereIsNamedByItsPlace) {
  for (const DType dtype : kFloats)
    for (const std::string_view place : {"padding", "input 0"}) {
      Trial trial = make_trial(index_places()[5], 1, value_of_family("V2"), 0, dtype, true);
      for (Plant& run : trial.runs) run.one.place = place;
      const PatternReport report = name_pattern(trial.cases(), hints());
      ASSERT_EQ(report.status, PatternStatus::named) << to_text(report);
      EXPECT_EQ(report.explanations[0].where_family, "W12");
      EXPECT_EQ(report.explanations[0].what_family, "V2");
      EXPECT_TRUE(mentions(report.notes, "in " + std::string(place)));
      EXPECT_TRUE(mentions(report.layers, "decompose.copyback"));
    }
}

// W15: runs that fail at 20 elements each, 5 of them the same.
TEST(PatternCampaign, MovingIsSaidFirst) {
  for (const DType dtype : kFloats) {
    Plant plant = right_run({500}, dtype, Data::codes, 3);
    for (int run = 0; run < 3; ++run) {
      std::vector<uint64_t> got = plant.one.reference;
      for (size_t k = 0; k < 5; ++k) got[100 * k] ^= 1;
      for (size_t k = 0; k < 15; ++k) got[20 * k + 3 + static_cast<size_t>(run)] ^= 1;
      if (run == 0)
        plant.one.got = got;
      else
        plant.one.repeats.push_back(got);
    }
    judge(plant.one);
    const PatternReport report = name_pattern({&plant.one, 1}, hints());
    ASSERT_EQ(report.status, PatternStatus::named) << to_text(report);
    EXPECT_EQ(report.explanations[0].where_family, "W15");
    EXPECT_EQ(report.explanations[0].what,
              "moves between identical runs: 50 in some run, 5 in every run, 20, 20, 20 a run");
    EXPECT_EQ(report.next[0], "two poison patterns; more repeats");
  }
}

}  // namespace
}  // namespace faultline::planting
