// Every row of the table of faults keeps the promises of a row: it is what its columns say, and on its own example it
// strikes and is seen at its layer.
#include <gtest/gtest.h>

#include <set>

#include "taxonomy/mechanism.h"
#include "tests/fault_trial.h"

namespace faultline {
namespace {

TEST(FaultTable, IdsAreUniqueAndNameTheLayerOfTheirMechanism) {
  std::set<std::string_view> ids;
  ASSERT_FALSE(faults.rows.empty());
  for (const Fault* fault : faults.rows) {
    EXPECT_TRUE(ids.insert(fault->id).second) << fault->id;
    const Mechanism* mechanism = find_mechanism(fault->mechanism);
    ASSERT_NE(mechanism, nullptr) << fault->id << ": " << fault->mechanism;
    EXPECT_EQ(fault->id.substr(0, fault->id.find('.')), name(mechanism->layer)) << fault->id;
    EXPECT_EQ(layer_of(*fault), mechanism->layer) << fault->id;
  }
}

TEST(FaultTable, RowsStandByLayer) {
  int last = 0;
  for (const Fault* fault : faults.rows) {
    EXPECT_GE(number(layer_of(*fault)), last) << fault->id;
    last = number(layer_of(*fault));
  }
}

TEST(FaultTable, EveryRowHasAnOriginAndASummaryOfOneLine) {
  for (const Fault* fault : faults.rows) {
    const bool url = fault->origin.starts_with("https://") && fault->origin.find(' ') == std::string_view::npos;
    const bool constructed = fault->origin.starts_with("constructed: ") && fault->origin.size() > 30;
    EXPECT_TRUE(url || constructed) << fault->id << ": " << fault->origin;
    EXPECT_FALSE(fault->summary.empty()) << fault->id;
    EXPECT_EQ(fault->summary.find('\n'), std::string_view::npos) << fault->id;
    EXPECT_FALSE(fault->targets.empty()) << fault->id;
  }
}

// A row answers where its layer asks.
TEST(FaultTable, HooksAreThoseOfTheLayer) {
  for (const Fault* fault : faults.rows) {
    const Layer layer = layer_of(*fault);
    const size_t expected = layer == Layer::transfer ? 1 : layer == Layer::numerics ? 2 : 0;
    EXPECT_EQ(fault->hook.index(), expected) << fault->id;
  }
}

class FaultExample : public testing::TestWithParam<const Fault*> {};

TEST_P(FaultExample, FiresAndIsSeenAtItsLayer) {
  const Fault& fault = *GetParam();
  const Layer layer = layer_of(fault);
  FaultTrial trial(case_line(fault.id, fault.example));
  const bool differs = trial.differs(first_rung(layer));
  EXPECT_GE(trial.fired(), 1);
  if (fault.expect == Expect::detect) {
    EXPECT_TRUE(differs || !trial.findings(layer).empty());
  } else {
    EXPECT_FALSE(fault.expect == Expect::tolerate && differs);
  }
}

// Who breaks the artefact of one layer must leave something that those below can work with. Layers 4 to 6 may make a
// back end abort, which is an end with a reason.
TEST_P(FaultExample, LeavesSomethingThatEveryLayerBelowCanRun) {
  const Fault& fault = *GetParam();
  FaultTrial trial(case_line(fault.id, fault.example));
  for (const Layer rung : kLayers) {
    if (rung < first_rung(layer_of(fault))) continue;
    trial.differs(rung);
    if (layer_of(fault) <= Layer::fuse) {
      EXPECT_EQ(trial.ended(), "") << name(rung);
    }
  }
}

std::vector<const Fault*> harmless_rows() {
  std::vector<const Fault*> rows;
  for (const Fault* fault : faults.rows)
    if (fault->expect != Expect::detect) rows.push_back(fault);
  return rows;
}

class HarmlessFault : public testing::TestWithParam<const Fault*> {};

TEST_P(HarmlessFault, BreaksNoPromise) {
  const Fault& fault = *GetParam();
  FaultTrial trial(case_line(fault.id, fault.example));
  trial.differs(Layer::schedule);
  for (const Layer layer : kLayers)
    for (const Finding& finding : trial.findings(layer))
      ADD_FAILURE() << finding.layer << ": " << finding.promise << " at " << finding.place << ": " << finding.text;
}

std::string test_name(const testing::TestParamInfo<const Fault*>& info) {
  std::string name(info.param->id);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, FaultExample, testing::ValuesIn(faults.rows.begin(), faults.rows.end()), test_name);
INSTANTIATE_TEST_SUITE_P(Rows, HarmlessFault, testing::ValuesIn(harmless_rows()), test_name);

}  // namespace
}  // namespace faultline
