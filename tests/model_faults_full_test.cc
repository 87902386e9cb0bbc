// Every planted fault on exported models: where it strikes and shows, the verdict names its layer; what it changes is
// never missed by the ladder but for a table of named pairs; a control is never accused.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "faults/fault.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

const std::vector<std::string> kModels = {"mlp_f16.export", "transformer_f32.export", "transformer_bf16.export",
                                          "encoder_f32.export", "vision_f32.export"};

// Faults that fire on a model, change something and are not seen, each with the reason.
struct Unseen {
  const char *fault, *model, *reason;
};
const std::vector<Unseen> kUnseen = {
    {"numerics.psum_dl16", "mlp_f16.export", "sums of 65 products in DL16 stay within the bound of Spyre's own sums"},
    {"numerics.lut_segment", "mlp_f16.export", "a thirty-second of a few tanh is lost in the sums behind it"},
    {"numerics.psum_dl16", "transformer_bf16.export", "after so many layers the measured bound is wider than DL16"},
    {"numerics.bf16_trunc", "transformer_bf16.export", "half a step of bf16 is within the measured bound"},
    {"numerics.lut_segment", "transformer_bf16.export",
     "a thirty-second of a few results is within the measured bound"},
    {"numerics.flip1", "transformer_bf16.export", "one halved number of an early layer is within the measured bound"},
    {"numerics.flip1", "transformer_f32.export", "one halved number of an early layer stays within the sums' bounds"},
    {"numerics.flip1", "encoder_f32.export", "one halved number of an early layer stays within the sums' bounds"},
};

std::set<std::string> unseen(const std::string& model) {
  std::set<std::string> faults;
  for (const Unseen& row : kUnseen)
    if (row.model == model) faults.insert(row.fault);
  return faults;
}

class ModelFaults : public testing::TestWithParam<std::string> {};

TEST_P(ModelFaults, NameTheirLayer) {
  RunOptions options;
  options.ladder = true;
  options.sweep = false;
  std::map<Outcome, int> outcomes;  // of the faults that fired
  std::set<std::string> missed;
  for (const Fault* fault : faults.rows) {
    const std::string line = "fault=" + std::string(fault->id) + " program=@corpora/pt2/" + GetParam() + ".pt2";
    const Verdict verdict = run_case(parse_case(line, FAULTLINE_SOURCE_DIR), options);
    ASSERT_TRUE(verdict.planted.has_value()) << line;
    if (fault->expect == Expect::benign) {
      EXPECT_NE(name(verdict.outcome), "false_alarm") << line << ": " << verdict.explanation;
      continue;
    }
    if (verdict.planted->fired > 0) ++outcomes[verdict.outcome];
    if (verdict.outcome == Outcome::missed) missed.insert(std::string(fault->id));
    if (verdict.outcome != Outcome::detected) continue;
    EXPECT_EQ(verdict.planted->localised, "exact") << line << ": " << verdict.explanation;
  }
  for (const auto& [outcome, count] : outcomes)
    std::cout << GetParam() << ": " << count << " fired and " << name(outcome) << "\n";
  EXPECT_GE(outcomes[Outcome::detected], 28) << GetParam();
  EXPECT_EQ(missed, unseen(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Exported, ModelFaults, testing::ValuesIn(kModels),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

}  // namespace
}  // namespace faultline
