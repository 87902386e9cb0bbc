// Cases from their line to their verdict: the family of the 65-element clone, and what a verdict may not depend on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/json.h"
#include "reports/text.h"
#include "runtime/base/error.h"
#include "runtime/run/run_case.h"

namespace faultline {
namespace {

const std::string kClone = "program=def clone65(x: f16[65]): y = aten.clone(x); return y";

Verdict verdict_of(const std::string& line, bool ladder = true) {
  RunOptions options;
  options.ladder = ladder;
  return run_case(parse_case(line), options);
}

std::optional<bool> agrees(const Verdict& verdict, std::string_view rung) {
  for (const RungLine& line : verdict.rungs)
    if (line.rung == rung) return line.agrees;
  return std::nullopt;
}

bool broken(const Verdict& verdict, Layer layer) {
  for (const VerifierLine& line : verdict.verifiers)
    if (line.layer == layer) return line.ok.has_value() && !*line.ok;
  return false;
}

// The three siblings leave the same wrong element and are told apart.
struct Sibling {
  std::string fault;
  Layer layer, above;
  std::string mechanism;
  std::string at63;  // how 63 elements end
};
const std::vector<Sibling> kSiblings = {
    {"schedule.piece_floor", Layer::schedule, Layer::tile, "schedule.trip",
     "63: crashed: abort while loading k0_copy: the piece list of y is empty"},
    {"tile.trip_floor", Layer::tile, Layer::layout, "tile.tail_tile", "63: all wrong"},
    {"layout.pad_floor", Layer::layout, Layer::fuse, "layout.tail_drop", "63: all wrong"},
};

class Siblings : public testing::TestWithParam<size_t> {};

TEST_P(Siblings, SameElementOtherLayer) {
  const Sibling& sibling = kSiblings[GetParam()];
  const Verdict verdict = verdict_of("fault=" + sibling.fault + " " + kClone);
  EXPECT_EQ(verdict.outcome, Outcome::detected);
  EXPECT_EQ(verdict.symptom_outcome, Outcome::wrong_value);
  EXPECT_EQ(verdict.origin.layer, sibling.layer);
  EXPECT_EQ(verdict.origin.mechanism, sibling.mechanism);
  EXPECT_EQ(verdict.exposed, sibling.layer);
  EXPECT_EQ(verdict.symptom, Layer::layout);
  EXPECT_EQ(verdict.operation, "aten.clone.default");
  ASSERT_EQ(verdict.tensors.size(), 1U);
  EXPECT_EQ(verdict.tensors[0].name, "y");
  EXPECT_EQ(verdict.tensors[0].wrong, 1);
  EXPECT_EQ(verdict.tensors[0].total, 65);
  EXPECT_EQ(verdict.tensors[0].where, "[64,65)");
  EXPECT_EQ(verdict.tensors[0].what, "unwritten");
  EXPECT_EQ(verdict.tensors[0].unit, "stick 64");
  EXPECT_EQ(agrees(verdict, name(sibling.above)), true);
  EXPECT_EQ(agrees(verdict, name(sibling.layer)), false);
  for (const Layer layer : kLayers) EXPECT_EQ(broken(verdict, layer), layer == sibling.layer) << name(layer);
  EXPECT_EQ(verdict.sweep, (std::vector<std::string>{sibling.at63, "64: passes", "65: [64,65) wrong",
                                                     "96: [64,96) wrong", "127: [64,127) wrong", "128: passes",
                                                     "129: [128,129) wrong", "197: [192,197) wrong"}));
  ASSERT_TRUE(verdict.planted.has_value());
  EXPECT_EQ(verdict.planted->fired, 1);
  EXPECT_EQ(verdict.planted->localised, "exact");
}

TEST_P(Siblings, SilentOnWholeSticks) {
  const Verdict verdict = verdict_of("fault=" + kSiblings[GetParam()].fault +
                                     " program=def clone64(x: f16[64]): y = aten.clone(x); return y");
  EXPECT_EQ(verdict.outcome, Outcome::not_exercised);
  EXPECT_TRUE(verdict.tensors.empty());
}

TEST_P(Siblings, ZeroedAndStaleMemory) {
  const std::string fault = "fault=" + kSiblings[GetParam()].fault + " " + kClone;
  const Verdict zeroed = verdict_of("memory=zeroed " + fault), stale = verdict_of("memory=stale " + fault);
  for (const Verdict* verdict : {&zeroed, &stale}) {
    EXPECT_EQ(verdict->outcome, Outcome::detected);
    EXPECT_EQ(verdict->origin.layer, kSiblings[GetParam()].layer);
    ASSERT_EQ(verdict->tensors.size(), 1U);
    EXPECT_EQ(verdict->tensors[0].where, "[64,65)");
  }
  EXPECT_EQ(zeroed.tensors[0].what, "zero");
  EXPECT_EQ(stale.tensors[0].what, "stale: previous output");
}

INSTANTIATE_TEST_SUITE_P(Floors, Siblings, testing::Range<size_t>(0, 3));

TEST(RunCase, AnAbortIsReportedAsSuch) {
  const Verdict verdict =
      verdict_of("fault=schedule.piece_floor program=def clone63(x: f16[63]): y = aten.clone(x); return y");
  EXPECT_EQ(verdict.symptom_outcome, Outcome::crashed);
  EXPECT_EQ(verdict.outcome, Outcome::detected);
  EXPECT_EQ(verdict.origin.layer, Layer::schedule);
  EXPECT_EQ(agrees(verdict, "tile"), true);
  EXPECT_EQ(agrees(verdict, "transfer"), false);
}

TEST(RunCase, WithoutAFaultNothingIsFound) {
  for (const std::string memory : {"fresh", "zeroed", "stale"}) {
    const Verdict verdict = verdict_of("memory=" + memory + " " + kClone);
    EXPECT_EQ(verdict.outcome, Outcome::pass) << memory;
    EXPECT_TRUE(verdict.evidence.empty());
    EXPECT_EQ(verdict.rungs.size(), 9U);
    EXPECT_EQ(verdict.verifiers.size(), 8U);
    for (const RungLine& rung : verdict.rungs) EXPECT_EQ(rung.agrees, true) << rung.rung;
    for (const VerifierLine& verifier : verdict.verifiers) EXPECT_EQ(verifier.ok, true) << name(verifier.layer);
  }
}

// Faults that break a static promise and leave this run's values within their bounds.
TEST(RunCase, APlainRunAsksTheVerifiers) {
  for (const std::string fault : {"tile.lx_overlap", "layout.restick_tail", "schedule.tile_stride"}) {
    const Verdict verdict =
        run_case(parse_case("fault=" + fault + " program=@corpora/pt2/mlp_f16.export.pt2", FAULTLINE_SOURCE_DIR), {});
    EXPECT_EQ(name(verdict.outcome), "detected") << fault;
    ASSERT_TRUE(verdict.planted.has_value());
    EXPECT_EQ(verdict.planted->localised, "exact") << fault;
    EXPECT_EQ(verdict.rungs.size(), 9U) << fault;
  }
  const Verdict clean = verdict_of(kClone, false);
  EXPECT_EQ(clean.verifiers.size(), 8U);
  EXPECT_TRUE(clean.rungs.empty());
}

// A wrong number at which the host's code raises is the run's end, not the user's error.
TEST(RunCase, ARunThatRaisesWhereEagerDoesNotIsFound) {
  const Verdict verdict = verdict_of(
      "memory=zeroed fault=tile.trip_floor program=def f(x: i32[65], y: f16[3]): t = aten.clone(x); "
      "s = aten.select.int(t, 0, 64); n = s.item(); m = 6 // n; z = aten.mul.Scalar(y, m); return z; "
      "call f(x = full(2))");
  EXPECT_EQ(name(verdict.outcome), "detected");
  EXPECT_EQ(name(verdict.symptom_outcome), "crashed");
  EXPECT_EQ(verdict.origin.layer, Layer::tile) << verdict.explanation;
}

// One wrong operand within the bound of a long sum, steps in an order that changes no value of these, and a
// step whose error is lost in a rounding behind it: a plain run sees other operands in the field, and steps one by one.
TEST(RunCase, APlainRunSeesWhatBoundsHide) {
  const std::vector<std::pair<std::string, std::string>> hidden = {
      {"transfer.cell_flip", "def f(x: f16[3,1024]): y = aten.sum.dim_IntList(x, [1]); return y"},
      {"fuse.epilogue_order",
       "def f(b: f16[67], x: f16[5,64], w: f16[64,67]): y = aten.addmm(b, x, w); z = aten.relu(y); return z; "
       "call f(b = uniform(), x = uniform(), w = uniform())"},
      {"numerics.flip1", "def f(x: f16[3,67]): a = aten.neg(x); y = aten.add.Scalar(a, 4096.0); return y"},
      {"numerics.flip1",
       "def f(x: f32[67]): a = aten.arange(67, dtype = f32); b = aten.mul.Scalar(a, 1e-9); y = aten.add.Tensor(x, b); "
       "return y"}};
  for (const auto& [fault, program] : hidden) {
    const Verdict verdict = run_case(parse_case("fault=" + fault + " program=" + program), {});
    EXPECT_EQ(name(verdict.outcome), "detected") << fault;
    ASSERT_TRUE(verdict.planted.has_value());
    EXPECT_EQ(verdict.planted->localised, "exact") << fault << ": " << verdict.explanation;
  }
}

// A line that computes nothing accuses nobody.
TEST(RunCase, AnUnreadNumberIsNoFinding) {
  const Verdict verdict = verdict_of(
      "fault=tile.trip_floor program=self.k = 3; def f(x: f32[9,70]): k = self.k; y = aten.exp(x); return y");
  EXPECT_EQ(verdict.origin.layer, Layer::tile);
  EXPECT_FALSE(broken(verdict, Layer::capture));
}

// Of a softmax that is one hot, most elements are far below any error that could be measured: 0 would pass for them,
// and they are not judged. The few that are do not make a pass.
TEST(RunCase, AMeasuredBoundThatHidesNearlyEverythingIsNoPass) {
  const Verdict verdict = verdict_of(
      "program=def f(x: f16[5,33]): s = aten.mul.Scalar(x, 200.0); y = aten.softmax.int(s, 1); return y", false);
  EXPECT_EQ(name(verdict.outcome), "untrusted");
  EXPECT_EQ(exit_code(verdict.outcome), 13);
  EXPECT_EQ(to_text(verdict).find("UNTRUSTED  160 of 165 elements of y cannot be judged"), 0u) << to_text(verdict);
}

TEST(RunCase, TwoRunsGiveTheSameRecord) {
  for (const Sibling& sibling : kSiblings) {
    const std::string line = "fault=" + sibling.fault + " " + kClone;
    EXPECT_EQ(to_json(verdict_of(line)).dump(), to_json(verdict_of(line)).dump());
  }
}

// The machine keeps an i64 in 32 bits. What does not fit is neither right nor wrong there, and the verdict says why;
// beside it, what fits is judged.
TEST(RunCase, IntegersBeyondTheMachineAreNotJudged) {
  const std::string add =
      "program=def f(x: i64[3], y: i64[3]): z = aten.add.Tensor(x, y); return z; call f(x = values(";
  const std::string because = " elements of z cannot be judged: a number beyond the machine's range";
  for (const std::string operands : {"1099511627776), y = values(1099511627776))", "2147483647), y = values(1))",
                                     "-1099511627776), y = values(1))"}) {
    const Verdict verdict = verdict_of(add + operands, false);
    EXPECT_EQ(name(verdict.outcome), "untrusted") << operands;
    EXPECT_EQ(verdict.evidence, (std::vector<std::string>{"3 of 3" + because}));
    EXPECT_NE(to_text(verdict).find("3 of 3" + because), std::string::npos);
    EXPECT_EQ(exit_code(verdict.outcome), 13);
  }
  const Verdict some = verdict_of(add + "1,1099511627776,2), y = values(1))", false);
  EXPECT_EQ(name(some.outcome), "pass");
  EXPECT_EQ(some.skipped, (std::vector<std::string>{"1 of 3" + because}));
  const Verdict none = verdict_of(add + "2147483646,-2147483648), y = values(1,0))", false);
  EXPECT_EQ(name(none.outcome), "pass");
  EXPECT_TRUE(none.skipped.empty());
}

// What runs before, with memory=stale, has other data: where the stack refuses it, or where it raises, the case itself
// is judged as always.
TEST(RunCase, WhatRanBeforeMayNotReachItsEnd) {
  const Verdict refused = verdict_of(
      "memory=stale program=def f(x: f32[8], y: f32[6]{offset=4 of=x}): v = aten.mul_.Tensor(x, 2.0); "
      "z = aten.add.Tensor(y, 1); return z");
  EXPECT_EQ(name(refused.outcome), "rejected");
  const std::string divides =
      " memory=stale program=def f(x: i64[1], y: f16[3]): n = x.item(); m = 6 // n; z = aten.mul.Scalar(y, m); "
      "return z; call f(x = integers(0,2))";
  int passed = 0;
  for (int seed = 1; seed <= 16; ++seed) {
    try {
      EXPECT_EQ(name(verdict_of("seed=" + std::to_string(seed) + divides, false).outcome), "pass") << seed;
      ++passed;
    } catch (const UserError& error) {  // of the case's own data
      EXPECT_NE(std::string(error.what()).find("eager PyTorch refuses"), std::string::npos) << seed << error.what();
    }
  }
  EXPECT_GT(passed, 4);
}

// The line in the verdict is the whole case.
TEST(RunCase, ReplaysFromItsOwnLine) {
  const Verdict first = verdict_of("seed=7 fault=tile.trip_floor " + kClone);
  const Verdict again = verdict_of(first.case_line);
  EXPECT_EQ(to_json(first).dump(), to_json(again).dump());
}

TEST(RunCase, RefusesAnUnknownFaultByItsNearestName) {
  try {
    verdict_of("fault=schedule.piece_flor " + kClone);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("schedule.piece_floor"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace faultline
