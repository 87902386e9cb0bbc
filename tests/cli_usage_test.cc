// What the command line says about itself, and what it says to mistakes: one line, the nearest name, exit code 2,
// nothing on the output.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "tests/command_line.h"

namespace faultline {
namespace {

const char* const kClone = "def f(x: f16[65]): y = aten.clone(x); return y";

TEST(CliUsage, HelpListsEveryCommand) {
  const CommandResult help = faultline_command({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_EQ(help.err, "");
  ASSERT_GE(commands.rows.size(), 6u);
  for (const Command* command : commands.rows)
    EXPECT_NE(help.out.find(std::string(command->summary)), std::string::npos) << command->id;
  EXPECT_EQ(faultline_command({"-h"}).out, help.out);
  EXPECT_EQ(faultline_command({"help"}).out, help.out);
}

TEST(CliUsage, EveryCommandTeachesWithItsExamples) {
  for (const Command* command : commands.rows) {
    const CommandResult help = faultline_command({std::string(command->id), "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("examples:"), std::string::npos);
    EXPECT_NE(help.out.find("exit codes:"), std::string::npos);
    EXPECT_GE(example_lines(*command).size(), 2u) << command->id;
    for (const std::vector<std::string>& words : example_lines(*command)) EXPECT_EQ(words.at(0), command->id);
    EXPECT_EQ(faultline_command({"help", std::string(command->id)}).out, help.out);
  }
}

TEST(CliUsage, Version) { EXPECT_EQ(faultline_command({"--version"}).out, "faultline 0.1.0\n"); }

struct Mistake {
  std::vector<std::string> arguments;
  std::string says;  // the whole line after "faultline: "
};

TEST(CliUsage, MistakesAreOneLineWithTheNearestName) {
  const std::vector<Mistake> mistakes = {
      {{}, "expected a command; 'faultline --help' lists them"},
      {{"rnu"}, "unknown command 'rnu', did you mean 'run'?; 'faultline --help' lists the commands"},
      {{"help", "replya"}, "unknown command 'replya', did you mean 'replay'?; 'faultline --help' lists the commands"},
      {{"run"}, "run: PROGRAM is required; see 'faultline run --help'"},
      {{"run", kClone, "--jsno"}, "run: unknown option '--jsno', did you mean '--json'?"},
      {{"run", kClone, "--targte=spyre"}, "run: unknown option '--targte', did you mean '--target'?"},
      {{"run", kClone, "more"}, "run: unexpected argument 'more'; see 'faultline run --help'"},
      {{"run", kClone, "--seed", "many"}, "--seed wants a whole number from 0 to 2^64-1, found 'many'"},
      {{"run", kClone, "--seed", "-1"}, "--seed wants a whole number from 0 to 2^64-1, found '-1'"},
      {{"run", kClone, "--option", "cores=1", "--option", "cores=2"}, "--option cores is given twice"},
      {{"run", kClone, "--fault", ""}, "fault: expected layer.name(site), found ''"},
      {{"run", kClone, "--fault", "tile.trip_floor(*) mask=1"},
       "fault tile.trip_floor takes no setting 'mask'; it takes p, nth, every, times, arm, seed"},
      {{"run", kClone, "--memory", "fresk"},
       "--memory wants fresh, zeroed or stale, found 'fresk', did you mean 'fresh'?"},
      {{"run", kClone, "--option", "cores"}, "--option wants NAME=VALUE, found 'cores'"},
      {{"run", kClone, "--target", "spire"}, "unknown backend 'spire', did you mean 'spyre'?"},
      {{"run", kClone, "--option", "core=1"}, "target spyre has no option 'core', did you mean 'cores'?"},
      {{"run", kClone, "--fault", "tile.trip_flor(*)"},
       "unknown fault 'tile.trip_flor', did you mean 'tile.trip_floor'?"},
      {{"run", kClone, "--target", "gpu"},
       "unknown backend 'gpu'; backends: spyre, inductor, aot_eager_decomp_partition, aot_eager, dynamo, xla, iree"},
      {{"run", kClone, "--fault", "TILE.TRIP_FLOOR"},
       "unknown fault 'TILE.TRIP_FLOOR', did you mean 'tile.trip_floor'?"},
      {{"run", kClone, "--fault", "tile.tail_tile"},
       "'tile.tail_tile' is a mechanism, no fault; its faults: tile.trip_floor"},
      {{"run", kClone, "--fault", "tile.qqqqqqqqqqqqq"},
       "unknown fault 'tile.qqqqqqqqqqqqq'; 'faultline list faults' names them"},
      {{"ladder", kClone, "--sed=1"}, "ladder: unknown option '--sed', did you mean '--seed'?"},
      {{"run", "def f(x: f16[65]): y = aten.clone(xx); return y"},
       "program:1:35: expected a defined value or a constant, found 'xx', did you mean 'x'?"},
      {{"run", "no_such_file.fl"},
       "'no_such_file.fl' is no file, no case line (... program=...) and no program text (def ...)"},
      {{"demo", "clone56"}, "unknown demo 'clone56', did you mean 'clone65'?"},
      {{"demo", "clone65", "--at", "fuse"}, "--at wants schedule, tile or layout, found 'fuse'"},
      {{"demo", "clone65", "--size", "0"}, "--size wants a number of elements from 1 to 16777216, found '0'"},
      {{"compile", kClone}, "compile: --emit is required; see 'faultline compile --help'"},
      {{"compile", kClone, "--emit", "tlie"}, "unknown layer 'tlie', did you mean 'tile'?; 'faultline list layers'"},
      {{"compile", kClone, "--emit", "numerics"},
       "the layer numerics leaves values, no artefact; 'faultline ladder' shows them"},
      {{"list", "fautls"}, "unknown list 'fautls', did you mean 'faults'?; 'faultline list' names them"},
      {{"run", kClone, "--picture", "--json"}, "--picture is text and --json is not: give one of them, or --svg FILE"},
      {{"ladder", kClone, "--ascii"}, "--ascii says how --picture draws, which is not given"},
      {{"replay", "@cases.txt", "--picture"}, "a picture is of one case, not of a file of them"},
      {{"replay", "seed=1"}, "case: expected program=... at the end of the line"},
      {{"replay", "@no_such_file"}, "no_such_file: cannot be read"},
  };
  for (const Mistake& mistake : mistakes) {
    const CommandResult result = faultline_command(mistake.arguments);
    EXPECT_EQ(result.code, 2) << mistake.says;
    EXPECT_EQ(result.out, "") << mistake.says;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.err, "faultline: " + mistake.says + "\n");
  }
}

// Named by its extension or not, an archive that is none says so at its place, not as bad program text; what has no end
// is not read.
TEST(CliUsage, WhatIsNoProgramFileIsSaid) {
  const std::vector<std::array<std::string, 3>> files = {
      {"empty.pt2", "", "empty.pt2: expected a .pt2 archive (ZIP), found no end record in 0 bytes"},
      {"text.pt2", "def f()", "text.pt2: expected a .pt2 archive (ZIP), found no end record in 7 bytes"},
      {"other.fl", "PK\3\4", "other.fl: expected a .pt2 archive (ZIP), found no end record in 4 bytes"},
  };
  for (const auto& [path, text, says] : files) {
    std::ofstream(path) << text;
    const CommandResult result = faultline_command({"run", path});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "faultline: " + says + "\n");
    std::filesystem::remove(path);
  }
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "/dev/zero"}, {"replay", "@/dev/zero"}}) {
    const CommandResult result = faultline_command(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "faultline: /dev/zero: is no file and no pipe\n");
  }
}

TEST(CliUsage, TextHasALength) {
  const std::string path = "cli_usage_long.fl";
  std::ofstream(path) << "#";
  std::filesystem::resize_file(path, (64 << 20) + 1);
  EXPECT_EQ(faultline_command({"run", path}).err,
            "faultline: cli_usage_long.fl: is longer than 64 MiB, the most that is read as text\n");
  std::filesystem::remove(path);
}

class CaseFile {
 public:
  explicit CaseFile(const std::string& text) : path_("cli_usage_test.cases") { std::ofstream(path_) << text; }
  ~CaseFile() { std::filesystem::remove(path_); }
  std::string argument() const { return "@" + path_; }

 private:
  std::string path_;
};

TEST(CliUsage, AMistakeInAFileOfCasesComesBeforeAnyRun) {
  const std::string good = std::string("on=spyre program=") + kClone + "\n";
  const std::vector<std::pair<std::string, std::string>> files = {
      {"# none\n\n", "cli_usage_test.cases: holds no case line"},
      {good + "# remark\nprogram=\n", "cli_usage_test.cases:3: "},
      {good + "on=spire program=" + kClone, "cli_usage_test.cases:2: unknown backend 'spire', did you mean 'spyre'?"},
      {good + "on=spyre(lx=maybe) program=" + kClone, "cli_usage_test.cases:2: option lx of target spyre wants on|off"},
      {good + "fault=tile.trip_flor(*) program=" + kClone, "cli_usage_test.cases:2: unknown fault 'tile.trip_flor'"},
  };
  for (const auto& [text, says] : files) {
    const CaseFile file(text);
    const CommandResult result = faultline_command({"replay", file.argument()});
    EXPECT_EQ(result.code, 2) << says;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("faultline: " + says)) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace faultline
