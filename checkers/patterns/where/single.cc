// W11: one element, by number; and the last element, which needs none. In rank 1 that is the last index: W7 says it.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

PositionSet last_element(int rank) {
  PositionSet set = PositionSet::last(0);
  for (int d = 1; d < rank; ++d) set = PositionSet::both(std::move(set), PositionSet::last(d));
  return set;
}

double delta_at(const Scorer& scorer, size_t at, int64_t flat) {
  const std::vector<int64_t>& positions = scorer.scene().views[at].flat;
  const std::vector<int32_t>& hot = scorer.hot(at);
  for (size_t k = 0; k < hot.size(); ++k)
    if (positions[static_cast<size_t>(hot[k])] == flat) return scorer.delta(at)[k];
  return 0;
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  std::vector<double> sums(scorer.cases());
  if (scene.rank > 1) {
    for (size_t at = 0; at < sums.size(); ++at) {
      const std::vector<int32_t>& hot = scorer.hot(at);
      const CaseView& view = scene.views[at];
      const bool last_hot = !hot.empty() && view.flat[static_cast<size_t>(hot.back())] == view.count - 1;
      sums[at] = last_hot ? scorer.delta(at).back() : 0;
    }
    scorer.offer(0, sums, "", [&] { return last_element(scene.rank); });
  }
  // Elements alike in price: the first explained one of each case stands for all.
  for (size_t at = 0; at < scorer.cases(); ++at)
    for (size_t k = 0; k < scorer.hot(at).size(); ++k) {
      if (scorer.delta(at)[k] >= 0) continue;
      const int64_t flat = scene.views[at].flat[static_cast<size_t>(scorer.hot(at)[k])];
      for (size_t other = 0; other < sums.size(); ++other) sums[other] = delta_at(scorer, other, flat);
      scorer.offer(choice_bits(static_cast<double>(scene.count_max)), sums, "",
                   [&] { return PositionSet::range(flat, flat + 1); });
      break;
    }
}

}  // namespace

constinit const WhereFamily where_single{
    .id = "W11", .name = "one element", .layers = "schedule.trip,tile.ksplit,numerics.flip1", .propose = propose};

}  // namespace faultline
