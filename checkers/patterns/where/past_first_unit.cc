// W2: everything past the first unit of a dimension that holds more than two, as a lost address step leaves it. The
// boundary must be seen: the first rows past the unit show the value.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (int d = 0; d < scene.rank; ++d) {
    const IntervalSums interval(scorer, d);
    for (const ScalarUnit& unit : scene.units) {
      if (!unit.fits(d)) continue;
      bool visible = false;
      for (size_t at = 0; at < scorer.cases(); ++at)
        visible = visible || (interval.length(at) > 2 * unit.elements &&
                              begins_visibly(scorer.along(at, d), unit.elements, interval.length(at)));
      if (!visible) continue;
      scorer.offer(scene.dim_bits() + scene.unit_bits(), interval.sums(unit.elements, interval.longest()), unit.text,
                   [&] { return PositionSet::rows_from(d, unit.elements); });
    }
  }
}

}  // namespace

constinit const WhereFamily where_past_first_unit{
    .id = "W2", .name = "everything past the first unit", .layers = "tile.dup,schedule.addr", .propose = propose};

}  // namespace faultline
