// The commands that run cases, end to end: the worked example is told apart at its three layers, and every example of
// every command runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "runtime/core/verdict.h"
#include "runtime/eager/eager.h"
#include "runtime/layers/capture/capture.h"
#include "tests/command_line.h"

namespace faultline {
namespace {

using Json = nlohmann::ordered_json;

class CliRun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
    std::filesystem::current_path(FAULTLINE_SOURCE_DIR);
  }

  // The one record that the command printed.
  static Json record(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const CommandResult result = faultline_command(arguments);
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
    Json json = Json::parse(result.out);
    EXPECT_EQ(json.at("exit"), result.code);
    return json;
  }
};

TEST_F(CliRun, TheScheduleComesWithTheTargetsDescriptors) {
  const CommandResult result =
      faultline_command({"compile", "corpora/programs/clone65.fl", "--emit", "schedule", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const Json list = Json::parse(result.out);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_NE(list[0].at("text").get<std::string>().find("launch k0_copy"), std::string::npos);
  EXPECT_FALSE(list[0].at("descriptors").empty());
}

TEST_F(CliRun, TheSameWrongElementIsToldApartAtThreeLayers) {
  const std::string mechanism[] = {"schedule.trip", "tile.tail_tile", "layout.tail_drop"};
  const std::string layers[] = {"schedule", "tile", "layout"};
  for (int i = 0; i < 3; ++i) {
    const Json json = record({"demo", "clone65", "--at", layers[i]});
    EXPECT_EQ(json["outcome"], "detected");
    EXPECT_EQ(json["exit"], 0);
    EXPECT_EQ(json["origin"]["layer"], layers[i]);
    EXPECT_EQ(json["origin"]["mechanism"], mechanism[i]);
    EXPECT_EQ(json["tensors"][0]["wrong"], 1);
    EXPECT_EQ(json["tensors"][0]["total"], 65);
    EXPECT_EQ(json["tensors"][0]["where"], "[64,65)");
    EXPECT_EQ(json["planted"]["localised"], "exact");
  }
}

TEST_F(CliRun, AWholeNumberOfSticksDoesNotExerciseTheFault) {
  EXPECT_EQ(record({"demo", "clone65", "--size", "64"})["outcome"], "not_exercised");
}

TEST_F(CliRun, TheReplayLineRepeatsTheRecord) {
  const Json json = record({"demo", "clone65"});
  const std::vector<std::string> words = shell_words(json.at("replay"));
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0], "./faultline");
  EXPECT_EQ(words[1], "replay");
  const Json again = record({words[1], words[2]});
  for (const char* field : {"case", "outcome", "origin", "tensors"}) EXPECT_EQ(again[field], json[field]) << field;
  EXPECT_EQ(record({words[1], words[2]}), again);
}

TEST_F(CliRun, APassIsZeroAndTheLadderShowsEveryRung) {
  const std::string program = "def clone65(x: f16[65]): y = aten.clone(x); return y";
  EXPECT_EQ(record({"run", program})["outcome"], "pass");
  const Json json = record({"ladder", program});
  EXPECT_EQ(json["outcome"], "pass");
  EXPECT_GE(json["rungs"].size(), 9u);
  for (const Json& rung : json["rungs"]) EXPECT_EQ(rung["agrees"], true) << rung.dump();
}

TEST_F(CliRun, ArgumentsEndUpInTheCase) {
  const Json json = record({"run", "corpora/programs/clone65.fl", "--option", "cores=2", "--option", "lx=off", "--seed",
                            "7", "--memory", "zeroed"});
  EXPECT_EQ(json["case"], "seed=7 on=spyre(cores=2,lx=off) memory=zeroed program=@corpora/programs/clone65.fl");
  const Json other = record({"run", json["case"], "--seed", "8"});
  EXPECT_EQ(other["case"], "seed=8 on=spyre(cores=2,lx=off) memory=zeroed program=@corpora/programs/clone65.fl");
}

TEST_F(CliRun, AFileOfCasesGivesALineEachAndTheWorstCode) {
  const std::string path = std::filesystem::temp_directory_path() / "cli_run_test.cases";
  const std::string program = "program=def clone65(x: f16[65]): y = aten.clone(x); return y";
  std::ofstream(path) << "# two\non=spyre " << program << "\non=spyre fault=tile.trip_floor(nowhere) " << program
                      << "\n";
  const CommandResult text = faultline_command({"replay", "@" + path});
  const CommandResult json = faultline_command({"replay", "@" + path, "--json"});
  std::filesystem::remove(path);
  EXPECT_EQ(text.code, 12);
  EXPECT_NE(text.out.find("2 cases: 1 not_exercised, 1 pass\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("NOT EXERCISED"), std::string::npos);
  EXPECT_EQ(json.code, 12);
  EXPECT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 2);
}

// No decomposition knows the operator, so eager carries the program to its second segment.
TEST_F(CliRun, CapturesWhatTheLayersBelowReject) {
  const std::string program =
      "def f(x: f32[8]): y = aten.digamma(x); s = aten.sum.default(y); v = s.item(); z = aten.mul.Scalar(y, v); return "
      "z";
  const CommandResult result = faultline_command({"compile", program, "--emit", "capture"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(parse_capture(result.out).entries.size(), 2u) << result.out;
  EXPECT_EQ(faultline_command({"compile", program, "--emit", "decompose"}).code, 17);
}

TEST_F(CliRun, EveryExampleRuns) {
  for (const Command* command : commands.rows) {
    for (const std::vector<std::string>& words : example_lines(*command)) {
      const CommandResult result = faultline_command(words);
      std::string line;
      for (const std::string& word : words) line += word + " ";
      EXPECT_EQ(result.code, 0) << line << result.err << result.out;
      EXPECT_EQ(result.err, "") << line;
      if (std::find(words.begin(), words.end(), "--json") != words.end()) {
        EXPECT_TRUE(Json::accept(result.out)) << line;
      }
    }
  }
}

}  // namespace
}  // namespace faultline
