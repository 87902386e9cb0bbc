// Campaigns on the modelled target with a planted fault, small and quick: killed at any moment and resumed, nothing is
// lost or doubled; a child that ends is a finding of its own; and the scripts of findings.
#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "campaign/campaign.h"
#include "campaign/finding_files.h"
#include "runtime/backends/emit/python_script.h"
#include "runtime/backends/worker/worker_pool.h"
#include "runtime/base/error.h"
#include "runtime/base/philox.h"
#include "runtime/eager/eager.h"
#include "runtime/ir/program_text.h"

namespace faultline {
namespace {

namespace fs = std::filesystem;

const std::string kProgram = FAULTLINE_BINARY_DIR "/cli/faultline";
constexpr int kCases = 12;

std::string fresh_folder(const std::string& name) {
  const std::string folder = testing::TempDir() + "faultline-campaign-" + name;
  fs::remove_all(folder);
  return folder;
}

CampaignSubject planted() {
  CampaignSubject subject;
  subject.faults = parse_faults("tile.trip_floor(*)");
  subject.reduce_runs = 20;
  return subject;
}

CampaignResult whole_run(const std::string& folder, int jobs) {
  CampaignOptions options;
  options.subject = planted();
  options.folder = folder;
  options.jobs = jobs;
  options.cases_end = kCases;
  options.job_command = {kProgram, "fuzz", "--job"};
  return run_campaign(options);
}

std::map<std::string, std::string> settings() { return {{"seed", "1"}}; }

TEST(CampaignStore, RemembersAndRefuses) {
  const std::string folder = fresh_folder("store"), path = folder + "/c.sqlite";
  fs::create_directories(folder);
  {
    Store store(path, settings());
    EXPECT_EQ(store.first_free(), 0);
    store.record(CaseRow{0, "pass", "", ""});
    store.record(CaseRow{3, "pass", "", ""});
    FindingRow finding;
    finding.signature = "small";
    finding.number = 4;
    EXPECT_EQ(store.record(CaseRow{4, "wrong_value", "large", ""}, finding), 1);
    store.record(CaseRow{5, "wrong_value", "other", ""}, 1);
    // One number twice, or one signature twice, is nothing at all.
    EXPECT_THROW(store.record(CaseRow{3, "pass", "", ""}), UserError);
    EXPECT_THROW(store.record(CaseRow{9, "wrong_value", "large", ""}, finding), UserError);
  }
  Store store(path, settings());
  EXPECT_EQ(store.gaps(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(store.first_free(), 6);
  for (const char* signature : {"small", "large", "other"}) EXPECT_EQ(store.finding_with(signature), 1) << signature;
  EXPECT_EQ(store.finding_with("none"), std::nullopt);
  EXPECT_EQ(store.findings().at(0).cases, 2);
  EXPECT_EQ(store.outcomes(), (std::map<std::string, int64_t>{{"pass", 2}, {"wrong_value", 2}}));
  EXPECT_THROW(Store(path, {{"seed", "2"}}), UserError);
  std::ofstream(folder + "/text") << std::string(4096, 'x');
  EXPECT_THROW(Store(folder + "/text", settings()), UserError);
}

TEST(CampaignJob, ANumberIsACase) {
  const CampaignSubject subject = planted();
  EXPECT_EQ(to_line(case_of(subject, 7)), to_line(case_of(subject_of(to_json(subject)), 7)));
  EXPECT_NE(to_line(case_of(subject, 7)), to_line(case_of(subject, 8)));
}

class Campaigns : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  }
};

// What must not depend on when the campaign was killed.
std::string record_of(const std::string& folder, const std::vector<FindingRow>& findings) {
  std::string text;
  for (const FindingRow& finding : findings) {
    text += std::to_string(finding.id) + " " + std::to_string(finding.number) + " " + finding.signature + " " +
            finding.line + " " + std::to_string(finding.cases) + "\n";
    for (const char* file : {"case.txt", "verdict.json", "report.txt"})
      EXPECT_TRUE(fs::exists(finding_folder(folder, finding.id) + "/" + file)) << finding.id << " " << file;
  }
  return text;
}

void start_and_kill(const std::string& folder, int milliseconds) {
  const pid_t child = fork();
  if (child == 0) {
    const int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, 1);
    dup2(quiet, 2);
    const std::string cases = std::to_string(kCases);
    execl(kProgram.c_str(), kProgram.c_str(), "fuzz", "--backend", "spyre", "--fault", "tile.trip_floor(*)",
          "--reduce-runs", "20", "--cases", cases.c_str(), "--jobs", "1", "--out", folder.c_str(), nullptr);
    _exit(127);
  }
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_F(Campaigns, KilledAndResumedLosesAndDoublesNothing) {
  const std::string clean = fresh_folder("clean"), killed = fresh_folder("killed");
  const CampaignResult expected = whole_run(clean, 1);
  EXPECT_GE(expected.findings.size(), 1U);
  EXPECT_EQ(expected.status.cases, kCases);
  PhiloxStream moments(3, "moments of death");
  for (int k = 0; k < 4; ++k) start_and_kill(killed, 200 + static_cast<int>(moments.below(2500)));
  const CampaignResult resumed = whole_run(killed, 1);
  EXPECT_EQ(resumed.outcomes, expected.outcomes);
  EXPECT_EQ(record_of(killed, resumed.findings), record_of(clean, expected.findings));
  EXPECT_FALSE(fs::exists(killed + "/tmp"));
  EXPECT_EQ(whole_run(killed, 1).status.cases, 0);
}

TEST_F(Campaigns, SeveralChildrenTryEachCaseOnce) {
  const std::string folder = fresh_folder("jobs");
  const CampaignResult result = whole_run(folder, 3);
  int64_t cases = 0;
  for (const auto& [outcome, count] : result.outcomes) cases += count;
  EXPECT_EQ(cases, kCases);
  std::set<std::string> signatures;
  for (const FindingRow& finding : result.findings) EXPECT_TRUE(signatures.insert(finding.signature).second);
}

// Children that end are no end of the campaign.
TEST(CampaignChildren, ThatEndAreAFinding) {
  CampaignOptions options;
  options.subject = planted();
  options.folder = fresh_folder("lost");
  options.cases_end = 3;
  options.job_command = {"false"};
  const CampaignResult result = run_campaign(options);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].signature, "harness_lost; -; -; -; exit code 1");
  EXPECT_EQ(result.findings[0].cases, 3);
  EXPECT_EQ(result.outcomes, (std::map<std::string, int64_t>{{"lost", 3}}));
}

TEST(CampaignFolder, BelongsToOneAtATime) {
  CampaignOptions options;
  options.subject = planted();
  options.folder = fresh_folder("shared");
  options.cases_end = 1;
  options.job_command = {"false"};
  std::string refused;
  options.progress = [&](const CampaignStatus&) {
    if (!refused.empty()) return;
    CampaignOptions second = options;
    second.progress = nullptr;
    try {
      run_campaign(second);
    } catch (const UserError& error) {
      refused = error.what();
    }
  };
  run_campaign(options);
  EXPECT_EQ(refused, options.folder + " is in use by another campaign");
}

int exit_code_of_script(const std::string& text) {
  const NamedBackend backend = find_external("dynamo");
  const std::string path = testing::TempDir() + "reproduce.py";
  std::ofstream(path) << text;
  const std::string command = place_of(backend).command.command.front() + " " + path + " > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string script_for(const nlohmann::json& backend_settings, const std::string& kind) {
  const Program program = parse_program(
      "self.n = 2; self.w = tensor f32[3]; def f(x: f16[4,5]{stride=1,4 offset=3}, y: f16[2]{of=x}, k: int = 3): "
      "n = self.n; w = self.w; v = aten.mul.Scalar(x, k); aten.add_.Scalar(y, 0.5); self.n = n; return v, w; "
      "call f(x = values(1,inf,nan)); call f(k = 4)",
      "test");
  ScriptExpectation expectation;
  expectation.title = "a test";
  expectation.kind = kind;
  expectation.tensors = {{0, "output v", {1, 2}, 0}};
  return python_script(program, make_inputs(program, 1), backend_settings, expectation);
}

TEST_F(Campaigns, ScriptsSayWhetherItReproduces) {
  if (const std::string why = place_of(find_external("dynamo")).unavailable; !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(exit_code_of_script(script_for({{"backend", "eager"}}, "differs")), 0);
  EXPECT_EQ(exit_code_of_script(script_for({{"backend", "there_is_none"}}, "ends")), 1);
  EXPECT_EQ(exit_code_of_script(script_for({{"backend", "there_is_none"}}, "differs")), 2);
}

}  // namespace
}  // namespace faultline
