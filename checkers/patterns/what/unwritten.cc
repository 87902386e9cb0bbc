// V1: nobody wrote here: the first run shows the first poison pattern and, where there is a second run, that shows the
// second.
#include <algorithm>

#include "checkers/patterns/proposals.h"

namespace faultline {

namespace {

void propose(Proposals& proposals) {
  const std::span<const ObservedCase> cases = proposals.scene().cases;
  const auto fails = [](const ObservedCase& one) {
    return std::any_of(one.failing.begin(), one.failing.end(), [](uint8_t failing) { return failing != 0; });
  };
  for (const ObservedCase& one : cases)
    if (!one.poison1 && fails(one)) return;
  proposals.offer(
      0,
      [cases](size_t at, int64_t, int run) -> Predicted {
        const std::optional<uint64_t> poison = run == 0 ? cases[at].poison1 : cases[at].poison2;
        return {poison.has_value(), poison.value_or(0), 0};
      },
      [] { return std::string("unwritten"); });
}

}  // namespace

constinit const WhatFamily what_unwritten{.id = "V1",
                                          .name = "unwritten",
                                          .layers = "layout.tail_drop,schedule.trip,tile.gap,transfer.drop",
                                          .moves = false,
                                          .propose = propose};

}  // namespace faultline
