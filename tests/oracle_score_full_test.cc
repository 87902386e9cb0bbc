// The oracle's score on many seeds and ten thousand conforming results that differ from eager's: a drop fails the
// build.
#include "runtime/base/parallel.h"
#include "tests/oracle_score_bars.h"

namespace faultline {
namespace {

TEST(OracleScore, StaysAboveItsBarsOnManySeeds) {
  const OracleScore score = score_oracle({.seeds = 20, .controls = 25200, .threads = hardware_threads()});
  expect_bars(score);
  int64_t controls = 0;
  for (const ScoreCell& cell : score.cells) controls += cell.alarms[kOracleJudge].of;
  EXPECT_GE(controls, 10000);
}

}  // namespace
}  // namespace faultline
