// Pictures end to end: what a run shows of a real output and its device layout, and the file of an SVG.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/eager/eager.h"
#include "runtime/run/run_case.h"
#include "tests/command_line.h"

namespace faultline {
namespace {

namespace fs = std::filesystem;

const char* const kClone = "def f(x: f16[65]): y = aten.clone(x); return y";

RunOptions with_places() {
  RunOptions options;
  options.places = true;
  return options;
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class CliPicture : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const EagerStatus eager = eager_status(); !eager.available) GTEST_SKIP() << eager.why_not;
    folder_ = testing::TempDir() + "cli_picture_test";
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  int files() const { return static_cast<int>(std::distance(fs::directory_iterator(folder_), {})); }

  std::string folder_;
};

TEST_F(CliPicture, StandsBehindTheReportAndChangesNothingOfIt) {
  const CommandResult plain = faultline_command({"demo", "clone65"});
  const CommandResult drawn = faultline_command({"demo", "clone65", "--picture"});
  ASSERT_TRUE(drawn.out.starts_with(plain.out)) << drawn.out;
  const std::string picture = drawn.out.substr(plain.out.size());
  EXPECT_TRUE(picture.starts_with("\npicture\n")) << picture;
  EXPECT_NE(picture.find("y: 1 of 65 elements wrong; tail of dim 0 beyond k*64: unwritten (stick 64)"),
            std::string::npos)
      << picture;
  EXPECT_NE(picture.find("lane of a stick across, stick down\n"), std::string::npos) << picture;
  EXPECT_NE(picture.find("    1 #" + std::string(63, '_') + "\n"), std::string::npos) << picture;
  EXPECT_EQ(drawn.code, plain.code);
}

TEST_F(CliPicture, BlocksAreForReadersOfUtf8) {
  ConsoleStyle style;
  style.unicode = true;
  EXPECT_NE(faultline_command({"demo", "clone65", "--picture"}, style).out.find("    1 █╌╌"), std::string::npos);
  EXPECT_EQ(faultline_command({"demo", "clone65", "--picture", "--ascii"}, style).out,
            faultline_command({"demo", "clone65", "--picture"}).out);
}

// 16-bit [3,100]: sticks of 64 along dim 1, all rows of the first 64 columns before those of the rest. So (r,c) is at
// c / 64 * 3 * 64 + r * 64 + c mod 64 of 2 * 3 * 64 positions. The loop that makes one trip too few loses the rest.
TEST_F(CliPicture, PlacesAreThoseOfTheLayout) {
  const Verdict verdict = run_case(parse_case("on=spyre fault=tile.trip_floor(*) program=def f(x: f16[3,100]): y = "
                                              "aten.neg(x); return y"),
                                   with_places());
  ASSERT_EQ(verdict.tensors.size(), 1U);
  ASSERT_TRUE(verdict.tensors[0].map && verdict.tensors[0].map->device);
  const WrongMap& map = *verdict.tensors[0].map;
  EXPECT_EQ(map.device->held, 384);
  EXPECT_EQ(map.device->row, 64);
  EXPECT_EQ(map.device->rows_together, 3);
  EXPECT_EQ(map.device->row_name, "stick");
  ASSERT_EQ(map.device->positions.size(), 300U);
  ASSERT_EQ(map.failing.size(), 300U);
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t c = 0; c < 100; ++c) {
      EXPECT_EQ(map.device->positions[static_cast<size_t>(100 * r + c)], c / 64 * 192 + r * 64 + c % 64);
      EXPECT_EQ(map.failing[static_cast<size_t>(100 * r + c)] != 0, c >= 64) << r << "," << c;
    }
  }
}

// A written input has a buffer of its own; a view of it has none.
TEST_F(CliPicture, WrittenInputsHavePlacesTooAndViewsHaveNone) {
  const Verdict verdict = run_case(parse_case("on=spyre fault=schedule.piece_floor(*) program=def f(x: f16[65]): y = "
                                              "aten.add_.Scalar(x, 1); return y"),
                                   with_places());
  ASSERT_EQ(verdict.tensors.size(), 2U);
  EXPECT_EQ(verdict.tensors[0].role, "output");
  EXPECT_FALSE(verdict.tensors[0].map->device);
  EXPECT_EQ(verdict.tensors[1].role, "input_after");
  ASSERT_TRUE(verdict.tensors[1].map->device);
  EXPECT_EQ(verdict.tensors[1].map->device->positions[64], 64);
}

TEST_F(CliPicture, NothingIsWrong) {
  const CommandResult result = faultline_command({"run", kClone, "--picture", "--svg", folder_ + "/none.svg"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("\npicture\n  nothing to show"), std::string::npos) << result.out;
  EXPECT_NE(text_of(folder_ + "/none.svg").find("nothing to show"), std::string::npos);
}

TEST_F(CliPicture, TheFileIsTheSameEachTimeAndAloneInItsFolder) {
  const std::string path = folder_ + "/clone65.svg", again = folder_ + "/again.svg";
  std::ofstream(path) << "what was there";
  fs::create_symlink(path, folder_ + "/link.svg");
  const CommandResult json = faultline_command({"demo", "clone65", "--json", "--svg", folder_ + "/link.svg"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(json.out, faultline_command({"demo", "clone65", "--json"}).out);
  EXPECT_EQ(faultline_command({"demo", "clone65", "--svg", again}).code, 0);
  EXPECT_TRUE(text_of(path).starts_with("<svg ")) << text_of(path);
  EXPECT_TRUE(text_of(path).ends_with("</svg>\n"));
  EXPECT_EQ(text_of(path), text_of(again));
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link.svg"));
  EXPECT_EQ(files(), 3);
}

// Said before the case is looked at: this one would take a target that does not exist.
TEST_F(CliPicture, AFileThatCannotBeWrittenIsSaidBeforeTheRun) {
  for (const std::string& path : {folder_, folder_ + "/no/such.svg", folder_ + "/", std::string("/dev/null/x.svg")}) {
    const CommandResult result =
        faultline_command({"replay", "on=nowhere program=" + std::string(kClone), "--svg", path});
    EXPECT_EQ(result.code, 2) << path;
    EXPECT_EQ(result.out, "") << path;
    EXPECT_EQ(result.err, "faultline: --svg: " + path + " cannot be written\n");
  }
  EXPECT_EQ(files(), 0);
  EXPECT_EQ(faultline_command({"run", kClone, "--svg", "/dev/full"}).err,
            "faultline: --svg: /dev/full cannot be written\n");
  EXPECT_EQ(faultline_command({"run", kClone, "--svg", "/dev/null"}).code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(CliPicture, ARunThatDoesNotEndLeavesTheFileAsItWas) {
  const std::string path = folder_ + "/kept.svg";
  std::ofstream(path) << "kept";
  EXPECT_EQ(faultline_command({"run", kClone, "--target", "nowhere", "--svg", path}).code, 2);
  EXPECT_EQ(text_of(path), "kept");
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace faultline
