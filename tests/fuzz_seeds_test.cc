// The seeds of corpora/fuzz that are artefacts, fault text and case lines: each is accepted and reads back, so that no
// fuzz target starts from texts that its parser has come to refuse.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/core/case.h"
#include "runtime/ir/prim.h"
#include "runtime/layers/capture/capture.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/layout/layout_program.h"
#include "runtime/layers/schedule/machine_text.h"
#include "runtime/layers/tile/tile_program.h"

namespace faultline {
namespace {

// Calls `check` with the text of every seed of one target; says how many there are.
template <class Check>
int each_seed(const std::string& target, Check&& check) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FAULTLINE_SOURCE_DIR "/corpora/fuzz/" + target)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    check(text.str());
    ++count;
  }
  return count;
}

template <class Parse>
void expect_printed_form(const std::string& target, Parse&& parse) {
  EXPECT_GE(each_seed(target, [&](const std::string& text) { EXPECT_EQ(to_text(parse(text)), text); }), 2) << target;
}

TEST(FuzzSeeds, AreTheArtefactsPrintedForms) {
  expect_printed_form("capture", parse_capture);
  expect_printed_form("prim_graph", parse_prim_graph);
  expect_printed_form("kernel_program", parse_kernel_program);
  expect_printed_form("layout_program", parse_layout_program);
  expect_printed_form("tile_program", parse_tile_program);
  expect_printed_form("machine_program", parse_machine_program);
}

TEST(FuzzSeeds, FaultTextAndCaseLinesAreAccepted) {
  EXPECT_GE(each_seed("fault_text", [](const std::string& text) { EXPECT_FALSE(parse_faults(text).empty()); }), 2);
  EXPECT_GE(each_seed("case_line", [](const std::string& text) { EXPECT_NO_THROW(parse_case(text)); }), 2);
}

}  // namespace
}  // namespace faultline
