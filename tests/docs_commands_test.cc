// What the README and docs/ tell a reader to type runs, and the output that the README shows is what comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "runtime/eager/eager.h"
#include "tests/command_line.h"

namespace faultline {
namespace {

// The lines inside the fences of a page, fence by fence.
std::vector<std::vector<std::string>> fenced(const std::filesystem::path& page) {
  std::vector<std::vector<std::string>> blocks;
  std::ifstream file(page);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back().push_back(line);
    }
  }
  EXPECT_FALSE(inside) << page << ": a fence that does not end";
  return blocks;
}

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> found = {"README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator("docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

class Docs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
    std::filesystem::current_path(FAULTLINE_SOURCE_DIR);
  }
};

TEST_F(Docs, EveryCommandRuns) {
  int commands = 0;
  for (const std::filesystem::path& page : pages()) {
    for (const std::vector<std::string>& block : fenced(page)) {
      for (const std::string& line : block) {
        if (!line.starts_with("./faultline ")) continue;
        std::vector<std::string> words = shell_words(line.substr(0, line.find(" #")));
        words.erase(words.begin());
        const CommandResult result = faultline_command(words);
        EXPECT_EQ(result.code, 0) << page << ": " << line << "\n" << result.err;
        EXPECT_NE(result.out, "") << page << ": " << line;
        ++commands;
      }
    }
  }
  EXPECT_GE(commands, 6);
}

// Shortened, but not changed.
TEST_F(Docs, TheReadmeShowsWhatTheFirstCommandPrints) {
  const std::vector<std::vector<std::string>> blocks = fenced("README.md");
  ASSERT_GE(blocks.size(), 2U);
  const std::string printed = faultline_command({"demo", "clone65"}).out;
  for (const std::string& line : blocks[1]) EXPECT_NE(printed.find(line), std::string::npos) << line << "\n" << printed;
}

// Whole, and as a terminal shows it.
TEST_F(Docs, ThePageOfThePictureShowsWhatItsLastCommandPrints) {
  const std::vector<std::vector<std::string>> blocks = fenced("docs/picture.md");
  ASSERT_EQ(blocks.size(), 2U);
  std::vector<std::string> words = shell_words(blocks[0].back());
  words.erase(words.begin());
  ConsoleStyle style;
  style.unicode = true;
  std::string shown = "\n";
  for (const std::string& line : blocks[1]) shown += line + "\n";
  const std::string printed = faultline_command(words, style).out;
  EXPECT_TRUE(printed.ends_with(shown)) << printed;
}

}  // namespace
}  // namespace faultline
