// The built program as a process: what happens when its output goes nowhere, and how long it takes to start.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "reports/json.h"
#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

const std::string kProgram = FAULTLINE_BINARY_DIR "/cli/faultline";

// What a command of sh says on both streams, and its exit code.
std::pair<std::string, int> plain_shell(const std::string& command) {
  FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> part;
  for (size_t n; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
  const int status = pclose(pipe);
  return {text, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

// The same of bash; without apostrophes.
std::pair<std::string, int> shell(const std::string& command) { return plain_shell("bash -c '{ " + command + "; }'"); }

// What the report prints, pasted into a shell, is the same case again, whatever its file is called.
TEST(CliProcess, ReplaysFromTheCommandThatItPrints) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  for (const std::string name : {"it's.fl", "a \"$HOME\" & 'two' `words` \\.fl", "'"}) {
    const std::string path = testing::TempDir() + name;
    std::ofstream(path) << "def f(x: f16[65]): y = aten.clone(x); return y\n";
    const Verdict verdict = run_case(parse_case("fault=tile.trip_floor program=@" + path));
    const std::string program = "./faultline";
    ASSERT_TRUE(verdict.replay.starts_with(program + " replay "));
    const auto [text, code] = plain_shell(kProgram + verdict.replay.substr(program.size()) + " --json");
    EXPECT_EQ(code, 0) << verdict.replay;
    EXPECT_EQ(text, to_json(verdict).dump() + "\n") << verdict.replay;
    std::filesystem::remove(path);
  }
}

TEST(CliProcess, AReaderThatLeavesIsNoMistake) {
  EXPECT_EQ(shell(kProgram + " list mechanisms | true; echo ${PIPESTATUS[0]}"), std::make_pair(std::string("0\n"), 0));
  EXPECT_EQ(shell(kProgram + " list ops --json | head -c 1; echo ${PIPESTATUS[0]}"),
            std::make_pair(std::string("[0\n"), 0));
}

TEST(CliProcess, OutputThatCannotBeWrittenIsSaid) {
  const std::pair<std::string, int> complaint = {"faultline: the output cannot be written\n", 13};
  EXPECT_EQ(shell(kProgram + " list mechanisms > /dev/full"), complaint);
  EXPECT_EQ(shell(kProgram + " list mechanisms >&-"), complaint);
  EXPECT_EQ(shell(kProgram + " list mechanisms > /dev/null 2>&-"), std::make_pair(std::string(), 0));
  EXPECT_EQ(shell(kProgram + " lits 2>&-"), std::make_pair(std::string(), 2));
}

// A list of cases ends behind the one that runs, with its summary.
TEST(CliProcess, AnInterruptedReplayFinishesItsCase) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const std::string path = testing::TempDir() + "interrupted.cases";
  {
    std::ofstream cases(path);
    for (int i = 0; i < 3000; ++i) cases << "on=spyre program=def f(x: f16[65]): y = aten.clone(x); return y\n";
  }
  const auto [text, code] = shell("coproc P { exec " + kProgram + " replay @" + path +
                                  " 2>&1; }; exec 5<&${P[0]}; N=$P_PID; read -r -u 5 FIRST; kill -INT $N; cat <&5; "
                                  "wait $N; exit $?");
  EXPECT_EQ(code, 130);
  int done = 0, interrupted = 0, all = 0;
  const size_t summary = text.find(" cases: ");
  ASSERT_NE(summary, std::string::npos) << text;
  ASSERT_EQ(std::sscanf(text.c_str() + text.rfind('\n', summary) + 1, "%d cases: ", &done), 1);
  const size_t line = text.find("faultline: interrupted after ");
  ASSERT_NE(line, std::string::npos) << text;
  ASSERT_EQ(std::sscanf(text.c_str() + line, "faultline: interrupted after %d of %d cases", &interrupted, &all), 2);
  EXPECT_EQ(done, interrupted);
  EXPECT_EQ(all, 3000);
  std::filesystem::remove(path);
}

TEST(CliProcess, AnInterruptedCommandSaysSo) {
  EXPECT_EQ(shell("mkfifo never.fl; timeout --preserve-status -s INT 1 " + kProgram +
                  " run never.fl; E=$?; rm never.fl; "
                  "exit $E"),
            std::make_pair(std::string("faultline: interrupted\n"), 130));
}

// The first variable of the locale that is set decides, whatever the others say.
TEST(CliProcess, BlocksAreDrawnWhereTheLocaleIsUtf8) {
  if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
  const auto draws_blocks = [](const std::string& locale) {
    const auto [text, code] =
        shell("unset LC_ALL LC_CTYPE LANG; " + locale + " " + kProgram + " demo clone65 --picture");
    EXPECT_EQ(code, 0) << text;
    EXPECT_NE(text.find("\npicture\n"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    return text.find("█") != std::string::npos;
  };
  EXPECT_TRUE(draws_blocks("LANG=de_DE.UTF-8"));
  EXPECT_TRUE(draws_blocks("LANG=C LC_ALL= LC_CTYPE=C.utf8"));
  EXPECT_FALSE(draws_blocks(""));
  EXPECT_FALSE(draws_blocks("LANG=de_DE.UTF-8 LC_ALL=C"));
}

TEST(CliProcess, NoColourInAPipe) {
  const auto [text, code] = shell("NO_COLOR= TERM=xterm " + kProgram + " --help");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// Processor time, which other work on the machine does not lengthen.
TEST(CliProcess, StartsAtOnce) {
  const auto [text, code] = shell("TIMEFORMAT=\"%U %S\"; time " + kProgram + " list faults > /dev/null");
  EXPECT_EQ(code, 0);
  double user = -1, system = -1;
  ASSERT_EQ(std::sscanf(text.c_str(), "%lf %lf", &user, &system), 2) << text;
  EXPECT_LT(user + system, 0.1);  // seconds
}

}  // namespace
}  // namespace faultline
