// Every planted fault on exported models: where it strikes and shows, the verdict names its layer; a control is never
// accused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faults/fault.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

const std::vector<std::string> kModels = {"mlp_f16.export", "transformer_f32.export", "transformer_bf16.export",
                                          "encoder_f32.export", "vision_f32.export"};

class ModelFaults : public testing::TestWithParam<std::string> {};

TEST_P(ModelFaults, NameTheirLayer) {
  RunOptions options;
  options.ladder = true;
  options.sweep = false;
  int detected = 0;
  for (const Fault* fault : faults.rows) {
    const std::string line = "fault=" + std::string(fault->id) + " program=@corpora/pt2/" + GetParam() + ".pt2";
    const Verdict verdict = run_case(parse_case(line, FAULTLINE_SOURCE_DIR), options);
    ASSERT_TRUE(verdict.planted.has_value()) << line;
    if (fault->expect == Expect::benign) {
      EXPECT_NE(name(verdict.outcome), "false_alarm") << line << ": " << verdict.explanation;
      continue;
    }
    if (verdict.outcome != Outcome::detected) continue;
    ++detected;
    EXPECT_EQ(verdict.planted->localised, "exact") << line << ": " << verdict.explanation;
  }
  EXPECT_GE(detected, 5) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Exported, ModelFaults, testing::ValuesIn(kModels),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

}  // namespace
}  // namespace faultline
