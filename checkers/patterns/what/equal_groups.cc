// V11: neighbours in groups of g are equal: the first or the last of the group stands in all of it, or the index was
// divided.
#include <fmt/format.h>

#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

constexpr int64_t kGroups[] = {2, 3, 4, 8};
constexpr std::string_view kModes[] = {"first of each group of", "last of each group of", "index divided by"};

void propose(Proposals& proposals) {
  const Source source(proposals.scene());
  const double bits = choice_bits(std::size(kGroups)) + choice_bits(std::size(kModes));
  for (const int64_t group : kGroups)
    for (int mode = 0; mode < 3; ++mode)
      proposals.offer(
          bits,
          [source, group, mode](size_t at, int64_t flat, int) {
            const int64_t number = flat / group;
            return source.moved(at, flat, mode == 2 ? number : number * group + (mode == 0 ? 0 : group - 1));
          },
          [&] { return fmt::format("equal groups: {} {}", kModes[mode], group); });
}

}  // namespace

constinit const WhatFamily what_equal_groups{.id = "V11",
                                             .name = "equal pairs or groups",
                                             .layers = "schedule.addr,fuse.bcast",
                                             .moves = true,
                                             .propose = propose};

}  // namespace faultline
