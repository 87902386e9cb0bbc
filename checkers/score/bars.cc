// Cell by cell, never of all together: a weak class would hide behind the others.
#include "checkers/score/bars.h"

namespace faultline {

std::vector<MissedBar> missed_bars(const OracleScore& score) {
  std::vector<MissedBar> missed;
  for (const ScoreCell& cell : score.cells) {
    const ScoreCount& caught = cell.caught[kOracleJudge];
    if (static_cast<double>(caught.count) < caught_bar(cell.dtype) * static_cast<double>(caught.of))
      missed.push_back({score.judges[kOracleJudge], cell.op_class, cell.dtype, false, caught});
    for (int judge = 0; judge < kOwnJudges; ++judge)
      if (cell.alarms[judge].count > kAlarmsMax)
        missed.push_back({score.judges[judge], cell.op_class, cell.dtype, true, cell.alarms[judge]});
  }
  return missed;
}

Outcome outcome_of(const OracleScore& score) {
  Outcome outcome = Outcome::pass;
  for (const MissedBar& bar : missed_bars(score)) {
    if (bar.alarm) return Outcome::false_alarm;
    outcome = Outcome::missed;
  }
  return outcome;
}

}  // namespace faultline
