// V24: no rule for the values: they are listed one by one, and only the place is named. Garbage where most of them are
// far outside the data, not finite, or subnormal among data that are none of this.
#include <algorithm>
#include <cmath>

#include "checkers/patterns/element.h"
#include "checkers/patterns/proposals.h"

namespace faultline {

namespace {

constexpr double kFar = 1000;

bool looks_like_garbage(const Proposals& proposals) {
  const Scene& scene = proposals.scene();
  if (!is_float(scene.dtype)) return false;
  double largest = 0;
  for (const CaseView& view : scene.views)
    for (const int64_t flat : view.flat) {
      const double value = std::fabs(value_of(scene.dtype, view.source->reference[static_cast<size_t>(flat)]));
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  int64_t strange = 0;
  for (const Probe& probe : proposals.probes()) {
    const double value = std::fabs(value_of(scene.dtype, probe.got));
    strange += !(value <= kFar * largest) || is_subnormal(scene.dtype, probe.got) ? 1 : 0;
  }
  return 2 * strange > static_cast<int64_t>(proposals.probes().size());
}

void propose(Proposals& proposals) {
  const bool garbage = looks_like_garbage(proposals);
  proposals.offer(
      0, nullptr, [&] { return std::string(garbage ? "garbage" : "values that no rule explains"); }, garbage);
}

}  // namespace

constinit const WhatFamily what_unexplained{.id = "V24",
                                            .name = "garbage",
                                            .layers = "schedule.addr,tile.gap,schedule.raw",
                                            .moves = false,
                                            .propose = propose};

}  // namespace faultline
