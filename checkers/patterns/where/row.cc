// W7: one index of a dimension, and the last one, which needs no number.
#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (int d = 0; d < scene.rank; ++d) {
    const int64_t size = scene.largest[static_cast<size_t>(d)];
    if (size < 2) continue;
    const IntervalSums interval(scorer, d);
    std::vector<double> last(scorer.cases());
    for (size_t at = 0; at < last.size(); ++at) last[at] = interval(at, interval.length(at) - 1, interval.length(at));
    scorer.offer(scene.dim_bits(), last, "", [&] { return PositionSet::last(d); });
    // In rank 1 a row is one element: W11.
    if (scene.rank == 1) continue;
    scorer.offer_best(
        scene.dim_bits() + scene.row_bits(d), "", 0, 1, size,
        [&](size_t at, int64_t k) { return interval(at, k, k + 1); },
        [&](int64_t k) { return PositionSet::row(d, k); });
  }
}

}  // namespace

constinit const WhereFamily where_row{
    .id = "W7", .name = "one row or slice", .layers = "layout.offset,transfer.misdirect", .propose = propose};

}  // namespace faultline
