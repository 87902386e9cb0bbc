// W10: all but the first or last few: the complement of a short prefix or suffix, of a dimension or of the flat
// position. Leaving out exactly the first or last index needs no number.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

void offer_rows(Scorer& scorer, int d) {
  const Scene& scene = scorer.scene();
  const int64_t size = scene.largest[static_cast<size_t>(d)];
  const IntervalSums interval(scorer, d);
  scorer.offer(scene.dim_bits() + 1, interval.sums(1, size), "", [&] { return PositionSet::rows_from(d, 1); });
  std::vector<double> but_last(scorer.cases());
  for (size_t at = 0; at < but_last.size(); ++at) but_last[at] = interval(at, 0, interval.length(at) - 1);
  scorer.offer(scene.dim_bits() + 1, but_last, "",
               [&] { return PositionSet::without(PositionSet::everything(), PositionSet::last(d)); });

  const int64_t few = size / 4;
  const double bits = scene.dim_bits() + scene.row_bits(d);
  scorer.offer_best(
      bits, "", few, -1, few, [&](size_t at, int64_t k) { return interval(at, k, size); },
      [&](int64_t k) { return PositionSet::rows_from(d, k); });
  scorer.offer_best(
      bits, "", size - few, 1, few, [&](size_t at, int64_t k) { return interval(at, 0, k); },
      [&](int64_t k) { return PositionSet::rows_to(d, k); });
}

// Flat prefixes and suffixes of one case, cut where the running sum is least.
void offer_flat(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  if (scorer.cases() != 1) return;
  const std::vector<int32_t>& hot = scorer.hot(0);
  const std::vector<float>& delta = scorer.delta(0);
  const std::vector<int64_t>& flat = scene.views[0].flat;
  double running = 0, least_prefix = 0, least_suffix = 0;
  size_t prefix = 0, suffix = 0;
  for (size_t k = 0; k < hot.size(); ++k) {
    running += delta[k];
    if (running < least_prefix) least_prefix = running, prefix = k + 1;
    if (scorer.everything(0) - running <= least_suffix) least_suffix = scorer.everything(0) - running, suffix = k + 1;
  }
  const double bits = choice_bits(static_cast<double>(scene.count_max));
  const int64_t few = scene.count_max / 4;
  if (prefix > 0) {
    const int64_t end = flat[static_cast<size_t>(hot[prefix - 1])] + 1;
    if (end >= scene.count_max - few)
      scorer.offer(bits, {least_prefix}, "", [&] { return PositionSet::range(0, end); });
  }
  if (suffix > 0 && suffix < hot.size()) {
    const int64_t begin = flat[static_cast<size_t>(hot[suffix])];
    if (begin <= few)
      scorer.offer(bits, {least_suffix}, "", [&] { return PositionSet::range(begin, scene.count_max); });
  }
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (int d = 0; d < scene.rank; ++d)
    if (scene.largest[static_cast<size_t>(d)] > 2) offer_rows(scorer, d);
  if (scene.rank > 1) offer_flat(scorer);
}

}  // namespace

constinit const WhereFamily where_all_but{
    .id = "W10", .name = "all but the first or last few", .layers = "schedule.addr,layout.stride", .propose = propose};

}  // namespace faultline
