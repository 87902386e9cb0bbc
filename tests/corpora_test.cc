// Programs of corpora/ without a fault, as text and as .pt2: no accusation, no refusal, on every rung.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/ir/program_text.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

std::vector<std::string> files(const std::string& folder, const std::string& extension) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(FAULTLINE_SOURCE_DIR) + "/" + folder))
    if (entry.path().extension() == extension) found.push_back(folder + "/" + entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::string title(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename().string();
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class Corpora : public testing::TestWithParam<std::string> {};

// What modelled stacks refuse, by name.
std::string refusal(const std::string& path) {
  if (path.find("overlapping_inputs") != std::string::npos) return "aliased inputs";
  if (path.find("reads_") != std::string::npos) return "aten.nonzero.default";
  return "";
}

// A mask of infinities in a 16-bit format: no reference can decide what it flows into, since Spyre has one code for NaN
// and both infinities there (docs/limits.md).
bool makes_16_bit_infinities(const Program& program) {
  const std::string line = to_line(program);
  return line.find("inf, dtype = f16") != std::string::npos || line.find("inf, dtype = bf16") != std::string::npos;
}

void expect_untrusted_for_infinities(const Verdict& verdict) {
  EXPECT_EQ(name(verdict.outcome), "untrusted") << verdict.explanation;
  EXPECT_FALSE(verdict.evidence.empty());
  for (const std::string& line : verdict.evidence)
    EXPECT_NE(line.find("an infinity or NaN in a format that cannot tell them apart"), std::string::npos) << line;
}

TEST_P(Corpora, PassClean) {
  RunOptions options;
  options.ladder = true;
  const Case test_case = parse_case("program=@" + GetParam(), FAULTLINE_SOURCE_DIR);
  const Verdict verdict = run_case(test_case, options);
  if (const std::string refused = refusal(GetParam()); !refused.empty()) {
    EXPECT_EQ(name(verdict.outcome), "rejected");
    ASSERT_EQ(verdict.evidence.size(), 1U);
    EXPECT_EQ(verdict.evidence[0].rfind(refused + ": ", 0), 0U) << verdict.evidence[0];
    return;
  }
  if (makes_16_bit_infinities(test_case.program)) {
    expect_untrusted_for_infinities(verdict);
  } else {
    EXPECT_EQ(name(verdict.outcome), "pass")
        << verdict.explanation << (verdict.evidence.empty() ? "" : verdict.evidence[0]);
  }
  for (const RungLine& rung : verdict.rungs) EXPECT_EQ(rung.agrees, true) << rung.rung << ": " << rung.how;
  for (const VerifierLine& verifier : verdict.verifiers)
    EXPECT_EQ(verifier.ok, true) << name(verifier.layer) << ": "
                                 << (verifier.findings.empty() ? "not run" : verifier.findings[0]);
}

INSTANTIATE_TEST_SUITE_P(Programs, Corpora, testing::ValuesIn(files("corpora/programs", ".fl")), title);
INSTANTIATE_TEST_SUITE_P(Exported, Corpora, testing::ValuesIn(files("corpora/pt2", ".pt2")), title);

}  // namespace
}  // namespace faultline
