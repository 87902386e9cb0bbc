// Every fault row, end to end: planted in programs of several sizes and types, the verdict must say that something is
// wrong and name the layer of the row; at sizes where it has nothing to strike, and without it, nothing may be said.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "faults/fault.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"
#include "tests/fault_matrix.h"

namespace faultline {
namespace {

Verdict verdict_of(const std::string& line) {
  RunOptions options;
  options.sweep = false;
  return run_case(parse_case(line), options);
}

// Programs are shared by rows.
Outcome without_fault(const std::string& program) {
  static std::map<std::string, Outcome> known;
  const auto found = known.find(program);
  return found != known.end() ? found->second : known[program] = verdict_of(program).outcome;
}

bool is_named_right(const Fault& fault, const std::string& kind) {
  return kind == fault.mechanism || std::any_of(kOtherKinds.begin(), kOtherKinds.end(), [&](const OtherKind& other) {
           return other.fault == fault.id && other.kind == kind;
         });
}

class FaultMatrix : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  }
  const FaultMatrixLine& line() const { return kFaultMatrix[GetParam()]; }
};

TEST_P(FaultMatrix, StrikesAndIsTracedToItsLayer) {
  const Fault& fault = faults.at(line().fault, "fault");
  for (const std::string& dtype : line().dtypes) {
    for (const int size : line().sizes) {
      const CaseText text = matrix_case(line(), size, dtype);
      SCOPED_TRACE(text.planted(line().fault));
      EXPECT_EQ(name(without_fault(text.plain())), name(Outcome::pass));
      const Verdict verdict = verdict_of(text.planted(line().fault));
      ASSERT_TRUE(verdict.planted.has_value());
      EXPECT_GE(verdict.planted->fired, 1);
      if (fault.expect == Expect::detect) {
        EXPECT_EQ(name(verdict.outcome), name(Outcome::detected)) << verdict.explanation;
        EXPECT_EQ(verdict.planted->localised, "exact") << verdict.explanation;
        EXPECT_TRUE(is_named_right(fault, verdict.origin.mechanism)) << verdict.origin.mechanism;
      } else {
        EXPECT_EQ(name(verdict.outcome), name(Outcome::pass)) << verdict.explanation;
      }
    }
  }
}

TEST_P(FaultMatrix, IsSilentWhereThereIsNothingToStrike) {
  for (const std::string& dtype : line().dtypes) {
    for (const int size : line().silent) {
      const CaseText text = matrix_case(line(), size, dtype);
      SCOPED_TRACE(text.planted(line().fault));
      const Verdict verdict = verdict_of(text.planted(line().fault));
      EXPECT_EQ(name(verdict.outcome), name(Outcome::not_exercised));
      EXPECT_TRUE(verdict.evidence.empty());
      EXPECT_TRUE(verdict.tensors.empty());
    }
  }
}

std::string test_name(const testing::TestParamInfo<size_t>& info) {
  return replaced(kFaultMatrix[info.param].fault, ".", "_") + "_" + std::to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Lines, FaultMatrix, testing::Range<size_t>(0, kFaultMatrix.size()), test_name);

// On its example every row is known by its kind, not by its layer alone; elsewhere all rows but a few are, too.
TEST(FaultMatrixTable, EveryExampleIsNamedByItsKind) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  for (const Fault* fault : faults.rows) {
    if (fault->expect != Expect::detect) continue;
    const std::string line = "fault=" + std::string(fault->id) + " program=" + std::string(fault->example);
    EXPECT_EQ(verdict_of(line).origin.mechanism, fault->mechanism) << line;
  }
  std::set<std::string_view> coarse;
  for (const OtherKind& other : kOtherKinds) {
    EXPECT_NE(faults.find(other.fault), nullptr) << other.fault;
    EXPECT_FALSE(other.why.empty());
    coarse.insert(other.fault);
  }
  EXPECT_LE(coarse.size(), 5U);
}

// A row is tried in two types at least, or it is known why there is one.
TEST(FaultMatrixTable, EveryRowHasTwoTypes) {
  std::map<std::string_view, std::set<std::string_view>> types;
  for (const FaultMatrixLine& line : kFaultMatrix)
    if (!line.sizes.empty()) types[line.fault].insert(line.dtypes.begin(), line.dtypes.end());
  for (const OneTypeFault& one : kOneTypeFaults) {
    EXPECT_EQ(types.at(one.fault).size(), 1U) << one.fault;
    EXPECT_FALSE(one.why.empty());
    types.at(one.fault).insert(one.others.begin(), one.others.end());
  }
  for (const Fault* fault : faults.rows) EXPECT_GE(types[fault->id].size(), 2U) << fault->id;
}

// What the table says of the other types.
TEST(FaultMatrixTable, RowsOfOneTypeTellNothingInAnother) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  for (const OneTypeFault& one : kOneTypeFaults) {
    const auto with_type = [&](const std::string& type) { return "program=" + replaced(one.program, "$t", type); };
    const std::string fault = "fault=" + one.fault + " ";
    SCOPED_TRACE(fault + one.program);
    EXPECT_EQ(name(without_fault(with_type(one.type))), name(Outcome::pass));
    EXPECT_EQ(name(verdict_of(fault + with_type(one.type)).outcome), name(Outcome::detected));
    for (const std::string& other : one.others) {
      SCOPED_TRACE(other);
      const Outcome clean = one.untrusted ? Outcome::untrusted : Outcome::pass;
      EXPECT_EQ(name(without_fault(with_type(other))), name(clean));
      const Verdict verdict = verdict_of(fault + with_type(other));
      EXPECT_EQ(name(verdict.symptom_outcome), name(clean));
      EXPECT_EQ(verdict.planted->fired > 0, one.untrusted);
    }
  }
}

// A row without a line here is a row that nobody has seen detected.
TEST(FaultMatrixTable, EveryRowHasThreeSizes) {
  std::map<std::string_view, std::set<int>> sizes;
  for (const FaultMatrixLine& line : kFaultMatrix) {
    EXPECT_NE(faults.find(line.fault), nullptr) << line.fault;
    EXPECT_FALSE(line.dtypes.empty()) << line.fault;
    sizes[line.fault].insert(line.sizes.begin(), line.sizes.end());
  }
  for (const Fault* fault : faults.rows) EXPECT_GE(sizes[fault->id].size(), 3U) << fault->id;
}

}  // namespace
}  // namespace faultline
