// W5: positions with one period that is no known unit. The period is the greatest common divisor of the gaps between
// explained positions; the commonest gap is tried too, which survives a few exceptions.
#include <algorithm>
#include <map>
#include <numeric>

#include "checkers/patterns/where_sums.h"

namespace faultline {

namespace {

// Periods suggested by ascending positions, at most two.
std::vector<int64_t> periods(const std::vector<int64_t>& positions) {
  std::vector<int64_t> found;
  if (positions.size() < 3) return found;
  int64_t divisor = 0;
  std::map<int64_t, int64_t> gaps;
  for (size_t k = 1; k < positions.size(); ++k) {
    const int64_t gap = positions[k] - positions[k - 1];
    divisor = std::gcd(divisor, gap);
    if (gaps.size() < 256 || gaps.contains(gap)) ++gaps[gap];
  }
  const auto common =
      std::max_element(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const int64_t period : {divisor, common->first})
    if (period > 1 && std::find(found.begin(), found.end(), period) == found.end()) found.push_back(period);
  return found;
}

bool known(const Scene& scene, int64_t period) {
  return std::any_of(scene.units.begin(), scene.units.end(),
                     [&](const ScalarUnit& unit) { return unit.elements == period; });
}

void offer_period(Scorer& scorer, int d, int64_t period, double bits) {
  std::vector<std::vector<double>> folded(scorer.cases());
  for (size_t at = 0; at < folded.size(); ++at) {
    if (d < 0) {
      folded[at] = scorer.residues(at, period);
      continue;
    }
    folded[at].assign(static_cast<size_t>(period), 0.0);
    const std::vector<double>& along = scorer.along(at, d);
    for (size_t k = 0; k < along.size(); ++k) folded[at][k % static_cast<size_t>(period)] += along[k];
  }
  scorer.offer_best(
      bits, "", 0, 1, period, [&](size_t at, int64_t k) { return folded[at][static_cast<size_t>(k)]; },
      [&](int64_t k) { return PositionSet::residues(d, period, k, k + 1); });
}

void propose(Scorer& scorer) {
  const Scene& scene = scorer.scene();
  for (int d = scene.rank > 1 ? -1 : 0; d < scene.rank; ++d) {
    const int64_t size = d < 0 ? scene.count_max : scene.largest[static_cast<size_t>(d)];
    std::vector<int64_t> tried;
    for (size_t at = 0; at < scorer.cases(); ++at) {
      std::vector<int64_t> positions;
      if (d < 0) {
        for (size_t k = 0; k < scorer.hot(at).size(); ++k)
          if (scorer.delta(at)[k] < 0)
            positions.push_back(scene.views[at].flat[static_cast<size_t>(scorer.hot(at)[k])]);
      } else {
        const std::vector<double>& along = scorer.along(at, d);
        for (size_t k = 0; k < along.size(); ++k)
          if (along[k] < 0) positions.push_back(static_cast<int64_t>(k));
      }
      for (const int64_t period : periods(positions)) {
        if (period * 2 >= size || known(scene, period) || std::find(tried.begin(), tried.end(), period) != tried.end())
          continue;
        tried.push_back(period);
        const double dim_bits = d < 0 || scene.rank == 1 ? 0 : scene.dim_bits();
        // In rank 1 the flat text is the plainer one.
        const int along = scene.rank == 1 ? -1 : d;
        offer_period(scorer, along, period,
                     dim_bits + choice_bits(static_cast<double>(size)) + choice_bits(static_cast<double>(period)));
      }
    }
  }
}

}  // namespace

constinit const WhereFamily where_stride{
    .id = "W5", .name = "stride-periodic", .layers = "layout.stride,fuse.bcast", .propose = propose};

}  // namespace faultline
