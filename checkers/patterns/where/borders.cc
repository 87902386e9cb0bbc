// W9: the first or the last h rows of every unit of a dimension, or both: what a halo that was not exchanged leaves.
// Two whole units at least, and a quarter of one at most: less is no period, more is no border.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

void offer_borders(Scorer& scorer, int d, int64_t period, std::string_view unit, double bits) {
  std::vector<std::vector<double>> folded(scorer.cases());
  for (size_t at = 0; at < folded.size(); ++at) {
    folded[at].assign(static_cast<size_t>(period), 0.0);
    const std::vector<double>& along = scorer.along(at, d);
    for (size_t k = 0; k < along.size(); ++k) folded[at][k % static_cast<size_t>(period)] += along[k];
  }
  const IntervalSums interval(folded);
  const int64_t widest = period / 4;
  scorer.offer_best(
      bits, unit, 1, 1, widest, [&](size_t at, int64_t h) { return interval(at, 0, h); },
      [&](int64_t h) { return PositionSet::residues(d, period, 0, h); });
  scorer.offer_best(
      bits, unit, 1, 1, widest, [&](size_t at, int64_t h) { return interval(at, period - h, period); },
      [&](int64_t h) { return PositionSet::residues(d, period, period - h, period); });
  scorer.offer_best(
      bits, unit, 1, 1, widest,
      [&](size_t at, int64_t h) { return interval(at, 0, h) + interval(at, period - h, period); },
      [&](int64_t h) {
        return PositionSet::either(PositionSet::residues(d, period, 0, h),
                                   PositionSet::residues(d, period, period - h, period));
      });
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (const ScalarUnit& unit : scene.units)
    for (int d = 0; d < scene.rank; ++d) {
      if (!unit.fits(d) || 2 * unit.elements > scene.largest[static_cast<size_t>(d)]) continue;
      const double sides = choice_bits(3);
      offer_borders(scorer, d, unit.elements, unit.text,
                    scene.dim_bits() + scene.unit_bits() + choice_bits(static_cast<double>(unit.elements)) + sides);
    }
}

}  // namespace

constinit const WhereFamily where_borders{
    .id = "W9", .name = "tile borders", .layers = "tile.halo", .propose = propose};

}  // namespace faultline
