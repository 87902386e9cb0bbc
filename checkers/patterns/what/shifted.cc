// V6: got_i = reference_{i-n}, along an axis or over the flat position.
#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

void propose(Proposals& proposals) {
  offer_shifts(proposals, Source(proposals.scene()), proposals.in_reference(), 0, "");
}

}  // namespace

constinit const WhatFamily what_shifted{.id = "V6",
                                        .name = "shifted",
                                        .layers = "layout.offset,decompose.alias,schedule.addr",
                                        .moves = true,
                                        .propose = propose};

}  // namespace faultline
