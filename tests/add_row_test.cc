// The page that shows how to add a row, carried out: its files and lines go into a copy of the tree, which must then
// configure and compile them; a line without its file must not configure.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace faultline {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Addition {
  std::string path, code, table, line;
};

// "File `path`:" with a block, then "Line in `table`:" with a block.
std::vector<Addition> additions() {
  const std::string page = read(fs::path(FAULTLINE_SOURCE_DIR) / "docs/how-to-add.md");
  const std::regex block("File `([^`]+)`:\\s*```cpp\\n([^`]*)```\\s*Line in `([^`]+)`:\\s*```\\n([^`]*)```");
  std::vector<Addition> found;
  for (std::sregex_iterator match(page.begin(), page.end(), block), end; match != end; ++match)
    found.push_back({(*match)[1], (*match)[2], (*match)[3], (*match)[4]});
  return found;
}

class AddRow : public testing::Test {
 protected:
  void SetUp() override {
    copy_ = fs::temp_directory_path() / ("faultline_add_row_" + std::to_string(getpid()));
    fs::remove_all(copy_);
    fs::create_directories(copy_);
    for (const char* folder : {"cmake", "taxonomy", "runtime", "faults", "checkers"})
      fs::copy(source_ / folder, copy_ / folder, fs::copy_options::recursive);
    fs::copy(source_ / "CMakeLists.txt", copy_ / "CMakeLists.txt");
  }
  void TearDown() override { fs::remove_all(copy_); }

  void write(const std::string& path, const std::string& text, std::ios::openmode mode = std::ios::out) {
    std::ofstream(copy_ / path, mode) << text;
  }
  // Exit status; output goes to a log in the copy.
  int run(const std::string& command) {
    return std::system(("cd '" + copy_.string() + "' && (" + command + ") >>log 2>&1").c_str());
  }
  int configure() {
    return run(
        "cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DFAULTLINE_BUILD_TESTS=OFF "
        "-DFAULTLINE_BUILD_BENCH=OFF -DCMAKE_DISABLE_FIND_PACKAGE_TorchWheel=ON");
  }
  std::string log() const { return read(copy_ / "log"); }

  const fs::path source_ = FAULTLINE_SOURCE_DIR;
  fs::path copy_;
};

TEST_F(AddRow, OneFileAndOneLineAreEnough) {
  const std::vector<Addition> all = additions();
  ASSERT_EQ(all.size(), 3U);
  std::string objects;
  for (const Addition& addition : all) {
    ASSERT_FALSE(fs::exists(copy_ / addition.path)) << addition.path;
    write(addition.path, addition.code);
    write(addition.table, addition.line, std::ios::app);
    objects += " '" + (copy_ / addition.path).string() + "^'";
  }
  ASSERT_EQ(configure(), 0) << log();
  EXPECT_EQ(run("ninja -C build -j2" + objects), 0) << log();
}

TEST_F(AddRow, ALineWithoutItsFileStopsTheConfigureStep) {
  write("faults/faults.def", "FAULT(fuse, no_such_file)\n", std::ios::app);
  EXPECT_NE(configure(), 0);
  EXPECT_NE(log().find("no_such_file"), std::string::npos) << log();
}

TEST_F(AddRow, AFileWithoutItsLineStopsTheConfigureStep) {
  write("checkers/rows/orphan.cc", "// Nobody lists this.\n");
  EXPECT_NE(configure(), 0);
  EXPECT_NE(log().find("orphan"), std::string::npos) << log();
}

}  // namespace
}  // namespace faultline
