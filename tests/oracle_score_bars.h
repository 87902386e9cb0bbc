// What the score must hold: 99 % of the mistakes in f32 and f16, 98 % in bf16, in every class, and no accusation of a
// conforming result.
#pragma once

#include <gtest/gtest.h>

#include "checkers/score/score.h"

namespace faultline {

inline void expect_bars(const OracleScore& score) {
  EXPECT_EQ(score.cells.size(), 24u) << "eight classes in three types";
  for (const ScoreCell& cell : score.cells) {
    const ScoreCount& caught = cell.caught[kOracleJudge];
    const double bar = cell.dtype == DType::bf16 ? 0.98 : 0.99;
    EXPECT_GT(caught.of, 12) << cell.op_class << " " << name(cell.dtype);
    EXPECT_GE(static_cast<double>(caught.count), bar * static_cast<double>(caught.of))
        << cell.op_class << " " << name(cell.dtype) << ": " << caught.count << " of " << caught.of;
    for (int judge = 0; judge < kOwnJudges; ++judge)
      EXPECT_EQ(cell.alarms[judge].count, 0) << score.judges[judge] << " " << cell.op_class << " " << name(cell.dtype);
  }
}

}  // namespace faultline
