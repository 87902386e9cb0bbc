// V7: cyclic shift within groups of g neighbours: got[b*g + r] = reference[b*g + (r - s) mod g].
#include <fmt/format.h>

#include "checkers/patterns/moves.h"

namespace faultline {

namespace {

// Group sizes: the small ones, and the units.
std::vector<int64_t> groups(const Scene& scene) {
  std::vector<int64_t> sizes{2, 3, 4, 5, 6, 7, 8};
  for (const ScalarUnit& unit : scene.units)
    if (!unit.dim && unit.elements > 8 && unit.elements < scene.count_max) sizes.push_back(unit.elements);
  return sizes;
}

void offer_group(Proposals& proposals, int64_t group, int64_t step, double bits) {
  const Source source(proposals.scene());
  proposals.offer(
      bits,
      [source, group, step](size_t at, int64_t flat, int) {
        return source.element(at, flat / group * group + (flat % group + group - step) % group);
      },
      [&] { return fmt::format("shifted by {} within groups of {}", step, group); });
}

void propose(Proposals& proposals) {
  const Scene& scene = proposals.scene();
  const std::vector<int64_t> sizes = groups(scene);
  const double size_bits = choice_bits(static_cast<double>(sizes.size()));
  const std::vector<std::vector<int64_t>>& hits = proposals.in_reference();
  std::map<std::pair<int64_t, int64_t>, int64_t> votes;  // (group, step)
  for (size_t k = 0; k < proposals.probes().size(); ++k)
    for (const int64_t hit : hits[k])
      for (const int64_t group : sizes)
        if (const int64_t flat = proposals.probes()[k].flat; hit != flat && hit / group == flat / group)
          ++votes[{group, (flat - hit + group) % group}];
  for (const auto& [group, step] : most_common(votes, 4))
    offer_group(proposals, group, step, size_bits + choice_bits(static_cast<double>(group)));
  if (scene.exact) return;
  for (const int64_t group : {2, 3, 4})
    for (int64_t step = 1; step < group; ++step)
      offer_group(proposals, group, step, size_bits + choice_bits(static_cast<double>(group)));
}

}  // namespace

constinit const WhatFamily what_group_shift{
    .id = "V7", .name = "shifted in groups", .layers = "schedule.addr,layout.pack", .moves = true, .propose = propose};

}  // namespace faultline
