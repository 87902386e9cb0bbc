// The seeds of corpora/fuzz that are artefacts, fault text and case lines: each is accepted and reads back, so that no
// fuzz target starts from texts that its parser has come to refuse.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/base/error.h"
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

TEST(FuzzSeeds, WhatAPrintedFormWouldLoseIsRefused) {
  const std::string head = "prims f(x: f16[3]):\n  %0: f16[3] = input(0)\n  %1: f16[3] = ";
  const std::string tail = "\n  return y %1 f16[3]\n";
  EXPECT_NO_THROW(parse_prim_graph(head + "neg(%0)" + tail));
  for (const char* node : {"neg(%0, axes=[0])", "neg(%0, 1:f16)", "iota(0:f16, step=1)",
                           "iota(0:f16, step=nan, axis=0)", "neg(%4294967296)", "literal(1e999:f16)", "neg(%0) at -2"})
    EXPECT_THROW(parse_prim_graph(head + node + tail), UserError) << node;
  EXPECT_THROW(parse_capture("capture f\nentry at 0\n  return y\n  break v = s resume 2\n"), UserError);
  EXPECT_THROW(parse_capture("capture f\nentry at 0.5\n  return y\n"), UserError);
  EXPECT_THROW(parse_faults("tile.drop(*) space=9223372036854775807KiB"), UserError);
  EXPECT_THROW(parse_faults("tile.drop(*) offset=1\n"), UserError);
}

}  // namespace
}  // namespace faultline
