// W8: rows from an index, up to an index, between two, in several dimensions at once; and ranges of the flat and of the
// storage position. What leaves
// less than a quarter out is W10.
#include <limits>
#include <optional>

#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

void offer_rows(Scorer& scorer, int d) {
  const Scene& scene = scorer.scene();
  const int64_t size = scene.largest[static_cast<size_t>(d)];
  const IntervalSums interval(scorer, d);
  const double bits = scene.dim_bits() + scene.row_bits(d);
  const int64_t quarter = size / 4;
  scorer.offer_best(
      bits, "", size - 1, -1, size - 1 - quarter, [&](size_t at, int64_t k) { return interval(at, k, size); },
      [&](int64_t k) { return PositionSet::rows_from(d, k); });
  scorer.offer_best(
      bits, "", 1, 1, size - 1 - quarter, [&](size_t at, int64_t k) { return interval(at, 0, k); },
      [&](int64_t k) { return PositionSet::rows_to(d, k); });
  std::vector<std::vector<double>> lists;
  for (size_t at = 0; at < scorer.cases(); ++at) lists.push_back(scorer.along(at, d));
  offer_intervals(scorer, lists, scene.dim_bits() + scene.range_bits(d), "", size, [&](int64_t begin, int64_t end) {
    // In rank 1 the flat text is the plainer one.
    return scene.rank == 1 ? PositionSet::range(begin, end) : PositionSet::slice(d, begin, end);
  });
}

using Hot = std::vector<std::pair<int64_t, float>>;  // positions with their d_i, ascending

Hot hot_of(const Scorer& scorer, size_t at, bool physical) {
  const CaseView& view = scorer.scene().views[at];
  const std::vector<int64_t>& position = physical ? view.storage : view.flat;
  Hot hot;
  for (size_t k = 0; k < scorer.hot(at).size(); ++k)
    hot.emplace_back(position[static_cast<size_t>(scorer.hot(at)[k])], scorer.delta(at)[k]);
  if (physical) std::sort(hot.begin(), hot.end());
  return hot;
}

// Runs of positions in ascending order that are best in one case each, and in all together.
void offer_flat(Scorer& scorer, bool physical) {
  const Scene& scene = scorer.scene();
  std::vector<Hot> lists;
  for (size_t at = 0; at < scorer.cases(); ++at) lists.push_back(hot_of(scorer, at, physical));
  std::vector<Hot> candidates = lists;
  if (lists.size() > 1) {
    Hot& together = candidates.emplace_back();
    for (const Hot& list : lists) together.insert(together.end(), list.begin(), list.end());
    std::sort(together.begin(), together.end());
  }
  std::vector<std::pair<int64_t, int64_t>> tried;
  for (const Hot& list : candidates) {
    std::vector<double> values;
    for (const auto& [where, delta] : list) values.push_back(delta);
    const auto [first, last] = least_run(values);
    if (first == last) continue;
    const int64_t begin = list[static_cast<size_t>(first)].first, end = list[static_cast<size_t>(last) - 1].first + 1;
    if (std::find(tried.begin(), tried.end(), std::pair{begin, end}) != tried.end()) continue;
    tried.emplace_back(begin, end);
    std::vector<double> sums(scorer.cases(), 0.0);
    for (size_t other = 0; other < sums.size(); ++other)
      for (const auto& [where, delta] : lists[other])
        if (where >= begin && where < end) sums[other] += delta;
    scorer.offer(scene.range_bits(-1) + (physical ? 1 : 0), sums, "", [&] {
      const PositionSet range = PositionSet::range(begin, end);
      return physical ? PositionSet::physical(range) : range;
    });
  }
}

// The least box around all that a rule explains, where it is short in two dimensions or more: a tile of no known
// extents.
void offer_box(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  const auto rank = static_cast<size_t>(scene.rank);
  std::vector<std::pair<int64_t, int64_t>> bounds(rank, {std::numeric_limits<int64_t>::max(), 0});
  for (size_t at = 0; at < scorer.cases(); ++at)
    for (size_t k = 0; k < scorer.hot(at).size(); ++k)
      for (size_t d = 0; d < rank && scorer.delta(at)[k] < 0; ++d) {
        const int64_t here = scene.views[at].coordinate[d][static_cast<size_t>(scorer.hot(at)[k])];
        bounds[d] = {std::min(bounds[d].first, here), std::max(bounds[d].second, here + 1)};
      }
  double bits = 0;
  int sides = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (bounds[d].first >= bounds[d].second) return;
    if (bounds[d].first == 0 && bounds[d].second == scene.largest[d]) continue;
    bits += scene.dim_bits() + scene.range_bits(static_cast<int>(d));
    ++sides;
  }
  if (sides < 2) return;
  std::vector<double> sums(scorer.cases(), 0.0);
  for (size_t at = 0; at < sums.size(); ++at)
    for (size_t k = 0; k < scorer.hot(at).size(); ++k) {
      bool inside = true;
      for (size_t d = 0; d < rank; ++d) {
        const int64_t here = scene.views[at].coordinate[d][static_cast<size_t>(scorer.hot(at)[k])];
        inside = inside && here >= bounds[d].first && here < bounds[d].second;
      }
      if (inside) sums[at] += scorer.delta(at)[k];
    }
  scorer.offer(bits, sums, "", [&] {
    std::optional<PositionSet> box;
    for (size_t d = 0; d < rank; ++d) {
      const auto [begin, end] = bounds[d];
      if (begin == 0 && end == scene.largest[d]) continue;
      PositionSet side = PositionSet::slice(static_cast<int>(d), begin, end);
      box = box ? PositionSet::both(std::move(*box), std::move(side)) : std::move(side);
    }
    return *box;
  });
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (int d = 0; d < scene.rank; ++d)
    if (scene.largest[static_cast<size_t>(d)] > 1) offer_rows(scorer, d);
  if (scene.rank > 1) {
    offer_flat(scorer, false);
    offer_box(scorer);
  }
  bool storage = true;
  for (const CaseView& view : scene.views) storage = storage && !view.by_storage.empty();
  if (storage) offer_flat(scorer, true);
}

}  // namespace

constinit const WhereFamily where_rows{
    .id = "W8", .name = "rows from k", .layers = "transfer.short,decompose.alias", .propose = propose};

}  // namespace faultline
