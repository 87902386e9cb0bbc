// The search: every family of values offers rules, each rule is screened on the probes, summed once and priced with
// every family of places.
#include "checkers/patterns/proposals.h"

#include <algorithm>

#include "checkers/patterns/moves.h"
#include "checkers/patterns/scatter.h"

namespace faultline {

namespace {

// "Nothing is changed where the rule has no value" is a second rule: a place and a value.
constexpr double kElseUnchangedBits = 2 * kFamilyBits;

bool listed(const std::vector<std::string>& ids, std::string_view id) {
  return ids.empty() || std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

bool Proposals::wanted(std::string_view where) const { return listed(places_, where); }

Proposals::Proposals(const Scene& scene, const Residual& residual, ListCost& cost)
    : scene_(scene), scorer_(scene, residual, cost) {
  for (size_t at = 0; at < scene.views.size(); ++at)
    for (const int64_t flat : residual.probes[at]) {
      const auto index = static_cast<size_t>(flat);
      probes_.push_back({at, flat, scene.cases[at].got[index], scene.cases[at].reference[index]});
    }
}

const std::vector<std::vector<int64_t>>& Proposals::in_reference() { return positions(-1); }
const std::vector<std::vector<int64_t>>& Proposals::in_buffer(size_t buffer) {
  return positions(static_cast<int>(buffer));
}

const std::vector<std::vector<int64_t>>& Proposals::positions(int buffer) {
  const auto known = positions_.find(buffer);
  if (known != positions_.end()) return known->second;
  constexpr size_t kHits = 16;
  std::vector<std::vector<int64_t>> all(probes_.size());
  for (size_t at = 0; at < scene_.views.size(); ++at) {
    std::vector<uint64_t> needles;
    std::vector<size_t> of;
    for (size_t k = 0; k < probes_.size(); ++k)
      if (probes_[k].at == at) needles.push_back(probes_[k].got), of.push_back(k);
    const std::vector<uint64_t>& haystack =
        buffer < 0 ? scene_.cases[at].reference : *scene_.buffers[static_cast<size_t>(buffer)].bits[at];
    const bool rounded = buffer < 0 && !scene_.cases[at].tolerance.empty();
    const std::vector<std::vector<int64_t>> hits =
        rounded ? find_near_values(scene_, at, needles, kHits) : find_values(haystack, needles, kHits);
    for (size_t k = 0; k < of.size(); ++k) all[of[k]] = hits[k];
  }
  return positions_.emplace(buffer, std::move(all)).first->second;
}

void Proposals::offer(double bits, Predict predict, const std::function<std::string()>& text, bool garbage) {
  auto what = std::make_shared<WhatInstance>();
  what->family = family_;
  what->bits = bits;
  what->predict = std::move(predict);
  what->garbage = garbage;
  if (!what->listed()) {
    const bool alive = std::any_of(probes_.begin(), probes_.end(),
                                   [&](const Probe& probe) { return agrees(scene_, *what, probe.at, probe.flat); });
    if (!alive) return;
  }
  if (!price(what, text) || what->listed() || !scorer_.has_unknown()) return;
  auto lenient = std::make_shared<WhatInstance>(*what);
  lenient->bits += kElseUnchangedBits;
  lenient->predict = [&scene = scene_, rule = what->predict](size_t at, int64_t flat, int run) {
    Predicted predicted = rule(at, flat, run);
    if (predicted.known) return predicted;
    predicted = reference_at(scene, at, flat);
    predicted.own = true;
    return predicted;
  };
  price(lenient, [&] { return text() + ", else unchanged"; });
}

bool Proposals::price(const std::shared_ptr<WhatInstance>& what, const std::function<std::string()>& text) {
  if (!scorer_.load(what)) return false;
  if (codes_ != nullptr && !what->listed()) {
    const double bits = scattered_rule_bits(scorer_, *codes_, what->bits);
    if (bits < scattered_.bits) scattered_ = {bits, text()};
  }
  for (const WhereFamily* family : where_families.rows) {
    if (family->propose == nullptr || !wanted(family->id)) continue;
    scorer_.set_family(family);
    family->propose(scorer_);
  }
  std::vector<Found> priced = scorer_.take();
  if (priced.empty()) return true;
  what->text = text();
  std::move(priced.begin(), priced.end(), std::back_inserter(found_));
  return true;
}

SearchResult search_explanations(const Scene& scene, const Residual& residual, const std::vector<std::string>& where,
                                 const std::vector<std::string>& what, const ValueCodes* codes) {
  ListCost cost(scene);
  Proposals proposals(scene, residual, cost);
  proposals.restrict_places(where);
  proposals.set_codes(codes);
  for (const WhatFamily* family : what_families.rows) {
    if (!listed(what, family->id)) continue;
    proposals.set_family(family);
    family->propose(proposals);
  }
  double list = residual.parameter_bits;
  for (size_t at = 0; at < scene.views.size(); ++at)
    list += kFamilyBits + cost(at, residual.total[at]) + scene.width * residual.total[at];
  std::vector<Found>& found = proposals.found();
  std::erase_if(found, [&](const Found& one) { return one.bits >= list; });
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.bits < b.bits; });
  return {std::move(found), proposals.best_seen(), proposals.scattered()};
}

}  // namespace faultline
