// Faults planted in programs that write to places and in scans: masked reductions and gathers are broken by the faults
// of other reductions and gathers, which must strike, be traced to their layer and be named by their kind, as
// tests/fault_matrix_test.cc demands of its programs.
#include <gtest/gtest.h>

#include "faults/fault.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"
#include "tests/update_faults.h"

namespace faultline {
namespace {

Verdict verdict_of(const std::string& line) {
  RunOptions options;
  options.sweep = false;
  return run_case(parse_case(line), options);
}

class UpdateFaults : public testing::TestWithParam<size_t> {};

TEST_P(UpdateFaults, StrikeAndAreTracedToTheirLayer) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const FaultMatrixLine& line = kUpdateFaults[GetParam()];
  const Fault& fault = faults.at(line.fault, "fault");
  for (const std::string& dtype : line.dtypes) {
    for (const int size : line.sizes) {
      const CaseText text = matrix_case(line, size, dtype);
      SCOPED_TRACE(text.planted(line.fault));
      EXPECT_EQ(name(verdict_of(text.plain()).outcome), name(Outcome::pass));
      const Verdict verdict = verdict_of(text.planted(line.fault));
      ASSERT_TRUE(verdict.planted.has_value());
      EXPECT_GE(verdict.planted->fired, 1);
      EXPECT_EQ(name(verdict.outcome), name(Outcome::detected)) << verdict.explanation;
      EXPECT_EQ(verdict.planted->localised, "exact") << verdict.explanation;
      EXPECT_EQ(verdict.origin.mechanism, fault.mechanism) << verdict.explanation;
    }
    for (const int size : line.silent) {
      const CaseText text = matrix_case(line, size, dtype);
      SCOPED_TRACE(text.planted(line.fault));
      EXPECT_EQ(name(verdict_of(text.planted(line.fault)).outcome), name(Outcome::not_exercised));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lines, UpdateFaults, testing::Range<size_t>(0, kUpdateFaults.size()), [](const auto& info) {
  return replaced(kUpdateFaults[info.param].fault, ".", "_") + "_" + std::to_string(info.param);
});

}  // namespace
}  // namespace faultline
