// The campaign of the pattern engine: every place with every value that can occur there, each over three to five shapes
// and three to six element types, alone and swept; two patterns at once; a thousand times random scatter.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/pattern_campaign.h"
#include "tests/pattern_scatter.h"
#include "tests/pattern_two.h"

namespace faultline::planting {
namespace {

TEST(PatternCampaign, EveryPlaceWithEveryValue) {
  const Campaign campaign = run_campaign([](size_t, size_t, size_t) { return true; });
  std::cout << campaign.text();
  for (const std::string& miss : campaign.misses) std::cout << miss;
  for (const Tallies* tallies : {&campaign.where, &campaign.what})
    for (const auto& [family, tally] : *tallies) EXPECT_GE(tally.right(), 0.95) << family;
  EXPECT_GE(Campaign::sum(campaign.where).right(), 0.99);
  EXPECT_GE(Campaign::sum(campaign.where).total(), 3000);
  for (const auto& [family, tally] : campaign.alone) EXPECT_LE(tally.wrong * 20, tally.total()) << family;
}

TEST(PatternCampaign, TwoAtOnce) {
  const TwoTally tally = run_two([](size_t) { return true; });
  std::cout << tally.text;
  EXPECT_GE(tally.total, 200);
  EXPECT_GE(tally.right * 100, tally.total * 95) << tally.right << " of " << tally.total;
}

TEST(PatternCampaign, ScatterHasNoName) {
  for (uint64_t seed = 0; seed < 1000; ++seed) EXPECT_TRUE(scatter_without_name(seed)) << seed;
}

}  // namespace
}  // namespace faultline::planting
