// W6: one residue, or a range of residues, modulo a known unit: of the flat position, of a coordinate, or of the
// storage position where that differs.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

void offer_classes(Scorer& scorer, int d, bool physical, const ScalarUnit& unit, double bits) {
  const int64_t period = unit.elements;
  std::vector<std::vector<double>> folded(scorer.cases());
  for (size_t at = 0; at < folded.size(); ++at) {
    if (d < 0) {
      folded[at] = scorer.residues(at, period, physical);
      continue;
    }
    folded[at].assign(static_cast<size_t>(period), 0.0);
    const std::vector<double>& along = scorer.along(at, d);
    for (size_t k = 0; k < along.size(); ++k) folded[at][k % static_cast<size_t>(period)] += along[k];
  }
  const auto set = [&](int64_t begin, int64_t end) {
    PositionSet residues = PositionSet::residues(d, period, begin, end);
    return physical ? PositionSet::physical(std::move(residues)) : residues;
  };
  const double residue_bits = choice_bits(static_cast<double>(period));
  scorer.offer_best(
      bits + residue_bits, unit.text, 0, 1, period,
      [&](size_t at, int64_t k) { return folded[at][static_cast<size_t>(k)]; },
      [&](int64_t k) { return set(k, k + 1); });
  offer_intervals(scorer, folded, bits + 2 * residue_bits, unit.text, period, set);
}

bool has_storage_order(const Scene& scene) {
  for (const CaseView& view : scene.views)
    if (view.by_storage.empty()) return false;
  return true;
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  const bool storage = has_storage_order(scene);
  for (const ScalarUnit& unit : scene.units) {
    const double bits = scene.unit_bits();
    if (!unit.dim && unit.elements < scene.count_max) {
      offer_classes(scorer, -1, false, unit, bits);
      if (storage) offer_classes(scorer, -1, true, unit, bits + 1);
    }
    for (int d = 0; d < scene.rank && (scene.rank > 1 || unit.dim); ++d)
      if (unit.fits(d) && unit.elements < scene.largest[static_cast<size_t>(d)])
        offer_classes(scorer, d, false, unit, bits + scene.dim_bits());
  }
}

}  // namespace

constinit const WhereFamily where_lane{
    .id = "W6", .name = "lane-periodic", .layers = "numerics.stuck,layout.pack", .propose = propose};

}  // namespace faultline
