// Mutants in fingerprints on 200 random programs; tests/field_campaign_full_test.cc has 10,000 and transformer blocks.
#include "tests/field_campaign.h"

namespace faultline::field_test {
namespace {

TEST(FieldCampaign, MutantsOfOperandsShowAndThoseOfArithmeticDoNot) {
  const FieldTally tally = try_programs(1, 200, 4);
  EXPECT_GT(tally.unequal, 300);
  EXPECT_GT(tally.arithmetic, 200);
}

}  // namespace
}  // namespace faultline::field_test
