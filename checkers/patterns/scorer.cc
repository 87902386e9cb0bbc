// Scoring: agreement of one element, the sums of d_i over dimensions, periods, boxes and features, and the price of a
// place.
#include "checkers/patterns/scorer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "checkers/patterns/element.h"

namespace faultline {

namespace {

// Explanations further than this behind the best of the same value rule are of no interest: neither rivals nor
// variants.
constexpr double kReach = kMarginBits + 2;
// But some are kept all the same, so that a rule that wins later still shows its distance to the next.
constexpr size_t kKept = 6;

bool agrees_in_run(const Scene& scene, const Predicted& predicted, uint64_t got) {
  if (!predicted.known) return false;
  if (predicted.bits == got) return true;
  if (!(predicted.tolerance > 0)) return false;
  const double difference = std::fabs(value_of(scene.dtype, got) - value_of(scene.dtype, predicted.bits));
  return std::isfinite(difference) && difference <= predicted.tolerance;
}

}  // namespace

bool agrees(const Scene& scene, const WhatInstance& what, size_t at, int64_t flat) {
  const ObservedCase& source = *scene.views[at].source;
  const auto index = static_cast<size_t>(flat);
  if (!agrees_in_run(scene, what.predict(at, flat, 0), source.got[index])) return false;
  return source.got_poison2.empty() || agrees_in_run(scene, what.predict(at, flat, 1), source.got_poison2[index]);
}

double Residual::all() const { return std::accumulate(total.begin(), total.end(), 0.0); }

double Found::exceptions_all() const { return std::accumulate(exceptions.begin(), exceptions.end(), 0.0); }

Residual failing_elements(const Scene& scene) {
  Residual residual;
  for (const CaseView& view : scene.views) {
    residual.wrong.push_back(view.failing);
    residual.total.push_back(view.failing_total);
    residual.probes.push_back(view.probes);
  }
  return residual;
}

ListCost::ListCost(const Scene& scene) {
  for (const CaseView& view : scene.views) {
    total_.push_back(static_cast<double>(view.count));
    known_.emplace_back(static_cast<size_t>(std::min(view.count, kSampleLimit)) + 1, -1.0);
  }
}

double ListCost::operator()(size_t at, double count) {
  count = std::max(0.0, std::round(count));
  const auto index = static_cast<size_t>(count);
  if (index >= known_[at].size()) return integer_bits(count) + choose_bits(total_[at], count);
  double& bits = known_[at][index];
  if (bits < 0) bits = integer_bits(count) + choose_bits(total_[at], count);
  return bits;
}

Scorer::Scorer(const Scene& scene, const Residual& residual, ListCost& cost)
    : scene_(scene), residual_(residual), cost_(cost), sums_(scene.views.size()) {}

bool Scorer::load(std::shared_ptr<const WhatInstance> what) {
  what_ = std::move(what);
  exception_bits_ = what_->listed() ? 0 : scene_.width;
  fixed_bits_ = what_->listed() ? scene_.width * residual_.all() : 0;
  keep_below_ = std::numeric_limits<double>::infinity();
  found_.clear();
  bool explains = false;
  has_unknown_ = false;
  for (size_t at = 0; at < sums_.size(); ++at) {
    const CaseView& view = scene_.views[at];
    const std::vector<uint8_t>& wrong = residual_.wrong[at];
    CaseSums& sums = sums_[at];
    sums.hot.clear();
    sums.delta.clear();
    sums.everything = 0;
    for (std::vector<double>& folded : sums.folded) folded.clear();
    for (size_t k = 0; k < view.flat.size(); ++k) {
      const bool misses = what_->listed() ? wrong[k] == 0 : !agrees(scene_, *what_, at, view.flat[k]);
      if (misses == (wrong[k] != 0)) continue;
      if (misses && !what_->listed() && !has_unknown_) has_unknown_ = !what_->predict(at, view.flat[k], 0).known;
      const float delta = misses ? view.weight[k] : -view.weight[k];
      explains = explains || !misses;
      sums.hot.push_back(static_cast<int32_t>(k));
      sums.delta.push_back(delta);
      sums.everything += delta;
    }
    sum_case(at);
  }
  return explains;
}

void Scorer::sum_case(size_t at) {
  const CaseView& view = scene_.views[at];
  CaseSums& sums = sums_[at];
  sums.along.resize(view.sizes.size());
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    sums.along[d].assign(static_cast<size_t>(view.sizes[d]), 0.0);
    const std::vector<int32_t>& coordinate = view.coordinate[d];
    for (size_t k = 0; k < sums.hot.size(); ++k)
      sums.along[d][static_cast<size_t>(coordinate[static_cast<size_t>(sums.hot[k])])] += sums.delta[k];
  }
}

std::vector<double> Scorer::fold(size_t at, int64_t modulus, bool physical) const {
  const CaseView& view = scene_.views[at];
  const std::vector<int64_t>& position = physical ? view.storage : view.flat;
  std::vector<double> result(static_cast<size_t>(modulus), 0.0);
  const CaseSums& sums = sums_[at];
  for (size_t k = 0; k < sums.hot.size(); ++k)
    result[static_cast<size_t>(position[static_cast<size_t>(sums.hot[k])] % modulus)] += sums.delta[k];
  return result;
}

// Most periods divide one that is folded once.
std::vector<double> Scorer::residues(size_t at, int64_t modulus, bool physical) const {
  if (scene_.period == 0 || scene_.period % modulus != 0) return fold(at, modulus, physical);
  std::vector<double>& folded = sums_[at].folded[physical ? 1 : 0];
  if (folded.empty()) folded = fold(at, scene_.period, physical);
  std::vector<double> result(static_cast<size_t>(modulus), 0.0);
  for (size_t begin = 0; begin < folded.size(); begin += result.size())
    for (size_t k = 0; k < result.size(); ++k) result[k] += folded[begin + k];
  return result;
}

std::vector<double> Scorer::boxes(size_t at, const TileShape& shape) const {
  const CaseSums& sums = sums_[at];
  const std::vector<int32_t>& number = scene_.views[at].box[static_cast<size_t>(&shape - scene_.shapes.data())];
  std::vector<double> result(static_cast<size_t>(element_count(scene_.grid(shape, at))), 0.0);
  for (size_t k = 0; k < sums.hot.size(); ++k)
    result[static_cast<size_t>(number[static_cast<size_t>(sums.hot[k])])] += sums.delta[k];
  return result;
}

std::vector<double> Scorer::by_feature(size_t at, size_t feature) const {
  const Feature& values = scene_.views[at].features[feature];
  std::vector<double> result(static_cast<size_t>(values.bins), 0.0);
  const CaseSums& sums = sums_[at];
  for (size_t k = 0; k < sums.hot.size(); ++k)
    result[static_cast<size_t>(values.bin[static_cast<size_t>(sums.hot[k])])] += sums.delta[k];
  return result;
}

double Scorer::price(double place_bits, const std::vector<double>& sums) {
  double gained = 0;
  for (const double sum : sums) gained += sum;
  if (gained > -0.5) return std::numeric_limits<double>::infinity();
  double bits = 2 * kFamilyBits + place_bits + what_->bits + fixed_bits_ + residual_.parameter_bits;
  for (size_t c = 0; c < sums.size(); ++c) {
    const double exceptions = std::max(0.0, residual_.total[c] + sums[c]);
    bits += cost_(c, exceptions) + exception_bits_ * exceptions;
  }
  return bits;
}

void Scorer::keep(double bits, double place_bits, const std::vector<double>& sums, std::string_view unit,
                  PositionSet set) {
  Found found{.set = std::move(set), .unit = std::string(unit), .where = family_, .what = what_, .bits = bits};
  found.parameter_bits = residual_.parameter_bits + 2 * kFamilyBits + place_bits + what_->bits;
  for (size_t c = 0; c < sums.size(); ++c)
    found.exceptions.push_back(std::max(0.0, std::round(residual_.total[c] + sums[c])));
  found_.push_back(std::move(found));
  best_seen_ = std::min(best_seen_, bits);
  if (found_.size() < 2 * kKept) return;
  std::nth_element(found_.begin(), found_.begin() + kKept, found_.end(),
                   [](const Found& a, const Found& b) { return a.bits < b.bits; });
  double best = std::numeric_limits<double>::infinity();
  for (const Found& one : found_) best = std::min(best, one.bits);
  keep_below_ = std::max(found_[kKept].bits, best + kReach);
  std::erase_if(found_, [&](const Found& one) { return one.bits >= keep_below_; });
}

std::vector<Found> Scorer::take() {
  std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.bits < b.bits; });
  return std::move(found_);
}

std::pair<int64_t, int64_t> least_run(const std::vector<double>& values) {
  double running = 0, least = 0;
  int64_t start = 0;
  std::pair<int64_t, int64_t> best{0, 0};
  for (size_t k = 0; k < values.size(); ++k) {
    if (running >= 0) running = 0, start = static_cast<int64_t>(k);
    running += values[k];
    const int64_t end = static_cast<int64_t>(k) + 1;
    if (running < least || (running == least && least < 0 && end - start < best.second - best.first)) {
      least = running;
      best = {start, end};
    }
  }
  return best;
}

}  // namespace faultline
