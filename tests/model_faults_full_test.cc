// Every planted fault on exported models of three types, by a plain run: where it strikes and changes anything, the
// verdict names its layer; a control is never accused.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "faults/fault.h"
#include "runtime/base/parallel.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

std::vector<std::string> models() {
  std::vector<std::string> all;
  for (const char* model : {"mlp", "transformer", "encoder", "vision"})
    for (const char* type : {"f32", "f16", "bf16"}) all.push_back(std::string(model) + "_" + type);
  return all;
}

class ModelFaults : public testing::TestWithParam<std::string> {};

TEST_P(ModelFaults, NameTheirLayer) {
  RunOptions options;
  options.threads = hardware_threads();
  options.sweep = false;
  std::map<Outcome, int> outcomes;  // of the faults that fired
  for (const Fault* fault : faults.rows) {
    const std::string line = "fault=" + std::string(fault->id) + " program=@corpora/pt2/" + GetParam() + ".export.pt2";
    const Verdict verdict = run_case(parse_case(line, FAULTLINE_SOURCE_DIR), options);
    ASSERT_TRUE(verdict.planted.has_value()) << line;
    if (fault->expect == Expect::benign) {
      EXPECT_NE(name(verdict.outcome), "false_alarm") << line << ": " << verdict.explanation;
      continue;
    }
    if (verdict.planted->fired > 0) ++outcomes[verdict.outcome];
    EXPECT_NE(name(verdict.outcome), "missed") << line;
    if (verdict.outcome != Outcome::detected) continue;
    EXPECT_EQ(verdict.planted->localised, "exact") << line << ": " << verdict.explanation;
  }
  for (const auto& [outcome, count] : outcomes)
    std::cout << GetParam() << ": " << count << " fired and " << name(outcome) << "\n";
  EXPECT_GE(outcomes[Outcome::detected], 28) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Exported, ModelFaults, testing::ValuesIn(models()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace faultline
