// Verdicts made by hand for the tests of reports: the 65-element clone, whose last element a planted fault loses.
#pragma once

#include "runtime/core/verdict.h"

namespace faultline {

inline Verdict clone65_verdict() {
  Verdict verdict;
  verdict.case_line =
      "on=spyre fault=schedule.piece_floor(*) program=def clone65(x: f16[65]): y = aten.clone(x); return y";
  verdict.outcome = Outcome::detected;
  verdict.symptom_outcome = Outcome::wrong_value;
  verdict.origin = {Layer::schedule, "schedule.trip", "codegen", 0.98};
  verdict.exposed = Layer::schedule;
  verdict.symptom = Layer::layout;
  verdict.operation_index = 0;
  verdict.operation = "aten.clone.default";
  WrongTensor y;
  y.name = "y";
  y.role = "output";
  y.total = 65;
  y.wrong = 1;
  y.where = "[64,65)";
  y.pattern = "tail of dim 0 beyond k*64";
  y.what = "unwritten";
  y.unit = "stick 64";
  y.samples = {"[64]: 0x7e5a (nan), eager 0x3c00 (1)"};
  verdict.tensors = {y};
  verdict.rungs = {{"eager", true, "reference"},
                   {"tile", true, "bit-equal"},
                   {"schedule", false, "1 of 65 differs"},
                   {"transfer", std::nullopt, "the rung above is wrong"}};
  verdict.verifiers = {{Layer::tile, true, {}},
                       {Layer::schedule, false, {"launch clone: the stores move 128 of 130 bytes of y"}},
                       {Layer::transfer, std::nullopt, {}}};
  verdict.evidence = {"y[64] is poison under both patterns"};
  verdict.ruled_out = {{Layer::layout, "packed through the layout, all 65 elements are right"}};
  verdict.next = {"look at the piece list of launch clone"};
  verdict.sweep = {"  64   right", "  65   [64,65)", " 129   [128,129)"};
  verdict.replay = "./faultline replay '" + verdict.case_line + "'";
  verdict.ticks = {{"kernel", 40}, {"transfer", 1200}};
  verdict.skipped = {"exact arithmetic: the program computes nothing"};
  verdict.planted = Planted{"schedule.piece_floor(*)", 1, "exact"};
  verdict.explanation = "The copy that was emitted covers the first 64 elements only.";
  return verdict;
}

}  // namespace faultline
