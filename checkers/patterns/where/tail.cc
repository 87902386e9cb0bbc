// W1: the part of a dimension beyond its last whole unit. The unit must be seen: the size is no multiple of it in some
// case, and the first rows of that tail show the value.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

bool visible(const Scorer& scorer, int d, int64_t unit) {
  for (size_t at = 0; at < scorer.cases(); ++at) {
    const std::vector<double>& along = scorer.along(at, d);
    const auto size = static_cast<int64_t>(along.size());
    const int64_t first = size / unit * unit;
    if (first > 0 && first < size && begins_visibly(along, first, size)) return true;
  }
  return false;
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (int d = 0; d < scene.rank; ++d) {
    const IntervalSums interval(scorer, d);
    for (const ScalarUnit& unit : scene.units) {
      if (!unit.fits(d) || !visible(scorer, d, unit.elements)) continue;
      std::vector<double> sums(scorer.cases());
      for (size_t at = 0; at < sums.size(); ++at) {
        const int64_t size = interval.length(at);
        sums[at] = interval(at, size / unit.elements * unit.elements, size);
      }
      scorer.offer(scene.dim_bits() + scene.unit_bits(), sums, unit.text,
                   [&] { return PositionSet::tail(d, unit.elements); });
    }
  }
}

}  // namespace

constinit const WhereFamily where_tail{.id = "W1",
                                       .name = "tail beyond k*unit",
                                       .layers = "layout.tail_drop,schedule.trip,schedule.mask",
                                       .propose = propose};

}  // namespace faultline
