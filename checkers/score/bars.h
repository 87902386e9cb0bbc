// What the score must hold, for whoever asks: the share of mistakes that the oracle sees in every class and type, and
// no accusation of a conforming result by any of its judges.
#pragma once

#include <string>
#include <vector>

#include "checkers/score/score.h"
#include "runtime/core/verdict.h"

namespace faultline {

// The least share of caught mistakes, in every class of operations.
constexpr double caught_bar(DType dtype) { return dtype == DType::bf16 ? 0.98 : 0.99; }
inline constexpr int64_t kAlarmsMax = 0;

// One below its bar, or above it.
struct MissedBar {
  std::string judge, op_class;
  DType dtype = DType::f32;
  bool alarm = false;  // else it is mistakes that were not seen
  ScoreCount count;    // of alarms, or of what was caught
};
std::vector<MissedBar> missed_bars(const OracleScore& score);

// pass, missed or false_alarm; of the last two false_alarm: whoever gets it looks for nothing.
Outcome outcome_of(const OracleScore& score);

}  // namespace faultline
