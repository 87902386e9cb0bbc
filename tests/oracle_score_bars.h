// The bars of checkers/score/bars.h as expectations, and that enough was tried for them to mean something.
#pragma once

#include <gtest/gtest.h>

#include "checkers/score/bars.h"

namespace faultline {

inline void expect_bars(const OracleScore& score) {
  EXPECT_EQ(score.cells.size(), 24u) << "eight classes in three types";
  for (const ScoreCell& cell : score.cells)
    EXPECT_GT(cell.caught[kOracleJudge].of, 12) << cell.op_class << " " << name(cell.dtype);
  for (const MissedBar& bar : missed_bars(score))
    ADD_FAILURE() << bar.judge << (bar.alarm ? " accuses what conforms: " : " catches too little: ") << bar.op_class
                  << " " << name(bar.dtype) << ", " << bar.count.count << " of " << bar.count.of;
}

}  // namespace faultline
