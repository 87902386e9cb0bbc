// W4: every second (third, fourth) tile in the order of the tile loop, as double buffering leaves it; along one
// dimension or the flat position in units, or over a tile map. Two whole rounds at least: less is no alternation.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

constexpr int64_t kDepths[] = {2, 3, 4};

void offer_units(Scorer& scorer, int d, const ScalarUnit& unit) {
  const Scene& scene = scorer.scene();
  const int64_t size = d < 0 ? scene.count_max : scene.largest[static_cast<size_t>(d)];
  for (const int64_t depth : kDepths) {
    const int64_t period = depth * unit.elements;
    if (size < 2 * period) continue;
    std::vector<std::vector<double>> units(scorer.cases());
    for (size_t at = 0; at < units.size(); ++at) {
      units[at].assign(static_cast<size_t>(depth), 0.0);
      const std::vector<double> folded = d < 0 ? scorer.residues(at, period) : std::vector<double>();
      const std::vector<double>& list = d < 0 ? folded : scorer.along(at, d);
      for (size_t k = 0; k < list.size(); ++k)
        units[at][k % static_cast<size_t>(period) / static_cast<size_t>(unit.elements)] += list[k];
    }
    const double bits = choice_bits(scene.rank + 1.0) + scene.unit_bits() + choice_bits(std::size(kDepths)) +
                        choice_bits(static_cast<double>(depth));
    scorer.offer_best(
        bits, unit.text, 0, 1, depth, [&](size_t at, int64_t k) { return units[at][static_cast<size_t>(k)]; },
        [&](int64_t k) { return PositionSet::residues(d, period, k * unit.elements, (k + 1) * unit.elements); });
  }
}

void offer_boxes(Scorer& scorer, const TileShape& shape) {
  const Scene& scene = scorer.scene();
  for (const int64_t depth : kDepths) {
    std::vector<std::vector<double>> cycle(scorer.cases());
    bool enough = false;
    for (size_t at = 0; at < cycle.size(); ++at) {
      const std::vector<double> boxes = scorer.boxes(at, shape);
      enough = enough || static_cast<int64_t>(boxes.size()) >= 2 * depth;
      cycle[at].assign(static_cast<size_t>(depth), 0.0);
      for (size_t k = 0; k < boxes.size(); ++k) cycle[at][k % static_cast<size_t>(depth)] += boxes[k];
    }
    if (!enough) continue;
    const double bits = scene.shape_bits() + choice_bits(std::size(kDepths)) + choice_bits(static_cast<double>(depth));
    scorer.offer_best(
        bits, shape.text, 0, 1, depth, [&](size_t at, int64_t k) { return cycle[at][static_cast<size_t>(k)]; },
        [&](int64_t k) {
          if (!shape.dim) return PositionSet::tile_cycle(depth, k, shape.extents);
          return PositionSet::residues(*shape.dim, depth * shape.slab, k * shape.slab, (k + 1) * shape.slab);
        });
  }
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (const ScalarUnit& unit : scene.units) {
    if (!unit.dim && scene.rank > 1) offer_units(scorer, -1, unit);
    for (int d = 0; d < scene.rank; ++d)
      if (unit.fits(d)) offer_units(scorer, d, unit);
  }
  for (const TileShape& shape : scene.shapes) offer_boxes(scorer, shape);
}

}  // namespace

constinit const WhereFamily where_alternate{
    .id = "W4", .name = "alternate tiles", .layers = "tile.dbuf,schedule.war", .propose = propose};

}  // namespace faultline
