// V13: every index of an index output is 0 while the values that the op returns with them are right.
#include "checkers/patterns/proposals.h"

namespace faultline {

namespace {

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  for (const ObservedCase& one : scene.cases)
    if (!one.partner_right || is_float(scene.dtype)) return;
  proposals.offer(
      0, [](size_t, int64_t, int) { return Predicted{true, 0, 0}; },
      [] { return std::string("index 0, values right"); });
}

}  // namespace

constinit const WhatFamily what_zero_index{.id = "V13",
                                           .name = "all indices 0, values right",
                                           .layers = "decompose.formula,schedule.opcode",
                                           .moves = false,
                                           .propose = propose};

}  // namespace faultline
