// Every fault row planted in every program of the matrix, its own and those of all other rows: whatever strikes there
// and is seen is traced to the row's layer, and what is below a broken artefact runs or ends with a reason.
#include <gtest/gtest.h>

#include <set>

#include "faults/fault.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"
#include "tests/update_faults.h"

namespace faultline {
namespace {

// Programs of the matrix in their first size and type, each once.
std::vector<std::string> programs() {
  std::set<std::string> all;
  for (const auto* lines : {&kFaultMatrix, &kUpdateFaults})
    for (const FaultMatrixLine& line : *lines) {
      const int size = line.sizes.empty() ? line.silent.front() : line.sizes.front();
      all.insert(matrix_case(line, size, line.dtypes.front()).tail);
    }
  all.insert(kWindowPrograms.begin(), kWindowPrograms.end());
  return {all.begin(), all.end()};
}

class FaultCross : public testing::TestWithParam<const Fault*> {};

TEST_P(FaultCross, WhatIsSeenIsTracedToItsLayer) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const Fault& fault = *GetParam();
  RunOptions options;
  options.sweep = false;
  int struck = 0;
  for (const std::string& program : programs()) {
    const std::string line = "fault=" + std::string(fault.id) + " " + program;
    SCOPED_TRACE(line);
    Verdict verdict = run_case(parse_case(line), options);
    // One wrong operand of a long sum stays within the sum's bound. The ladder sees it in the field.
    if (verdict.outcome == Outcome::missed && layer_of(fault) != Layer::numerics) {
      RunOptions all = options;
      all.ladder = true;
      verdict = run_case(parse_case(line), all);
    }
    ASSERT_TRUE(verdict.planted.has_value());
    struck += verdict.planted->fired > 0;
    // A rounding that stays within the bound of the result is no mistake that anybody could see.
    if (layer_of(fault) != Layer::numerics) {
      EXPECT_NE(name(verdict.outcome), name(Outcome::missed));
    }
    EXPECT_NE(name(verdict.outcome), name(Outcome::unknown));
    EXPECT_NE(name(verdict.outcome), name(Outcome::false_alarm)) << verdict.explanation;
    if (verdict.outcome == Outcome::detected) {
      EXPECT_EQ(verdict.planted->localised, "exact") << verdict.explanation;
    }
  }
  EXPECT_GE(struck, 1);
}

std::string test_name(const testing::TestParamInfo<const Fault*>& info) {
  std::string name(info.param->id);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, FaultCross, testing::ValuesIn(faults.rows.begin(), faults.rows.end()), test_name);

}  // namespace
}  // namespace faultline
