// W14: places by the element's value: the exponent, the sign or the class of the reference or of an input of as many
// elements, or a magnitude of at least t.
#include <cmath>

#include "checkers/patterns/element.h"
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

// Least bin in use, and one more than the greatest, over all cases.
std::pair<int64_t, int64_t> bins_in_use(const Scene& scene, size_t index) {
  std::pair<int64_t, int64_t> used{std::numeric_limits<int64_t>::max(), 0};
  for (const CaseView& view : scene.views)
    for (const int64_t bin : view.features[index].bin)
      used = {std::min(used.first, bin), std::max(used.second, bin + 1)};
  return used;
}

void offer_feature(Scorer& scorer, size_t index, double feature_bits) {
  const Feature& feature = scorer.scene().views[0].features[index];
  const auto [lowest, highest] = bins_in_use(scorer.scene(), index);
  if (lowest + 1 >= highest) return;  // alike everywhere: no place
  std::vector<std::vector<double>> bins(scorer.cases());
  for (size_t at = 0; at < bins.size(); ++at) bins[at] = scorer.by_feature(at, index);
  // What holds every element says nothing of values.
  const auto vacuous = [lowest = lowest, highest = highest](int64_t begin, int64_t end) {
    return begin <= lowest && end >= highest;
  };
  const double bin_bits = choice_bits(feature.bins);
  scorer.offer_best(
      feature_bits + bin_bits, "", 0, 1, feature.bins,
      [&](size_t at, int64_t k) { return bins[at][static_cast<size_t>(k)]; },
      [&](int64_t k) {
        return PositionSet::values(feature.feature, feature.source, static_cast<double>(k), static_cast<double>(k + 1));
      });
  if (feature.feature != "exponent") return;
  // At least, or below, an exponent; then between two.
  const IntervalSums interval(bins);
  const auto set = [&](int64_t begin, int64_t end) {
    return PositionSet::values(feature.feature, feature.source, static_cast<double>(begin), static_cast<double>(end));
  };
  scorer.offer_best(
      feature_bits + bin_bits, "", feature.bins - 2, -1, feature.bins - 2,
      [&](size_t at, int64_t k) { return vacuous(k, feature.bins) ? 0.0 : interval(at, k, feature.bins); },
      [&](int64_t k) { return set(k, feature.bins); });
  scorer.offer_best(
      feature_bits + bin_bits, "", 2, 1, feature.bins - 2,
      [&](size_t at, int64_t k) { return vacuous(0, k) ? 0.0 : interval(at, 0, k); },
      [&](int64_t k) { return set(0, k); });
  offer_intervals(scorer, bins, feature_bits + 2 * choice_bits(feature.bins + 1.0), "", highest - lowest, set);
}

// |reference| >= t with t the magnitude of some element: the suffix of the elements by magnitude with the least sum.
void offer_threshold(Scorer& scorer, double feature_bits) {
  const Scene& scene = scorer.scene();
  if (scorer.cases() != 1) return;
  const CaseView& view = scene.views[0];
  std::vector<float> delta(view.flat.size(), 0.0F);
  for (size_t k = 0; k < scorer.hot(0).size(); ++k) delta[static_cast<size_t>(scorer.hot(0)[k])] = scorer.delta(0)[k];
  const auto magnitude = [&](size_t rank) {
    const auto flat = static_cast<size_t>(view.flat[static_cast<size_t>(view.by_magnitude[rank])]);
    return std::fabs(value_of(scene.dtype, view.source->reference[flat]));
  };
  double running = 0, least = 0;
  size_t cut = view.by_magnitude.size();
  for (size_t rank = view.by_magnitude.size(); rank-- > 0;) {
    running += delta[static_cast<size_t>(view.by_magnitude[rank])];
    const bool tied = rank > 0 && magnitude(rank - 1) == magnitude(rank);
    if (!tied && running < least) least = running, cut = rank;
  }
  if (cut == view.by_magnitude.size() || cut == 0) return;
  scorer.offer(feature_bits + scene.width, {least}, "", [&] {
    return PositionSet::values("magnitude", "ref", magnitude(cut), std::numeric_limits<double>::infinity());
  });
}

void propose(Scorer& scorer) {
  // What moves elements never looks at their values.
  if (scorer.what().family->moves) return;
  const size_t features = scorer.scene().views[0].features.size();
  const double feature_bits = choice_bits(static_cast<double>(features) + 1);
  for (size_t k = 0; k < features; ++k) offer_feature(scorer, k, feature_bits);
  if (features > 0) offer_threshold(scorer, feature_bits);
}

}  // namespace

constinit const WhereFamily where_by_value{
    .id = "W14",
    .name = "by value",
    .layers = "numerics.acc,numerics.round,numerics.lut,numerics.ftz,numerics.sat",
    .propose = propose};

}  // namespace faultline
