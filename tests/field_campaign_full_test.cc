// The fingerprint field on 10,000 random programs and on two stacked transformer blocks: every mutant of operands shows
// or ends where the field may lose it, no mutant of arithmetic shows, and no legal schedule does. Two hundred programs
// are in tests/field_campaign_test.cc.
#include <array>

#include "tests/field_campaign.h"
#include "tests/random_program_trial.h"

namespace faultline::field_test {
namespace {

using random_test::Shapes;

std::string source(const std::string& name) { return std::string(FAULTLINE_SOURCE_DIR) + "/corpora/programs/" + name; }

TEST(FieldCampaignFull, MutantsOfTenThousandPrograms) {
  const FieldTally tally = try_programs(1, 10000, 4);
  EXPECT_EQ(tally.programs, 10000);
  EXPECT_GT(tally.unequal, 20000);
  EXPECT_GT(tally.arithmetic, 20000);
}

TEST(FieldCampaignFull, MutantsOfTwoStackedTransformerBlocks) {
  FieldSubject subject(to_text(parse_case("program=@" + source("two_blocks.fl")).program), 1);
  FieldTally tally;
  try_mutants(subject, 1, 300, tally);
  print(tally);
  EXPECT_GT(tally.unequal, 200);
  EXPECT_GT(tally.arithmetic, 200);
}

TEST(FieldCampaignFull, SchedulesOfTenThousandPrograms) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  random_test::try_seeds(20001, 10000, 0, Shapes::ordinary, true);
}

TEST(FieldCampaignFull, SchedulesOfTwoStackedTransformerBlocks) {
  if (!eager_status().available) GTEST_SKIP() << eager_status().why_not;
  static constexpr std::array kSchedules = {"cores=1",
                                            "cores=2,lx=off",
                                            "cores=31,double_buffer=on",
                                            "fusion=off",
                                            "fusion=off,cores=5,lx=off",
                                            "cores=32,double_buffer=on,lx=off"};
  for (const char* schedule : kSchedules) {
    RunOptions options;
    options.ladder = true;
    const Case test_case = parse_case(std::string("on=spyre(") + schedule + ") program=@" + source("two_blocks.fl"));
    const Verdict verdict = run_case(test_case, options);
    EXPECT_EQ(random_test::complaint(verdict), "") << schedule;
    EXPECT_TRUE(random_test::equal_in_field(verdict)) << schedule;
  }
}

}  // namespace
}  // namespace faultline::field_test
