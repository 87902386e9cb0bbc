// Solving a scene: the search, then combinations. A combination is grown greedily: the exceptions of the best few
// single rules are searched again, and a further rule is taken where it saves more than the margin.
#include "checkers/patterns/solution.h"

#include <algorithm>

#include "checkers/patterns/scatter.h"

namespace faultline {

namespace {

constexpr size_t kSeeds = 3;
constexpr size_t kParts = 3;
constexpr double kLeftOver = 0.25;  // share of the wrong elements that parts of a composite may leave unexplained
constexpr double kFewest = 3;       // elements that a rule explains, where it does not explain all

// What stays wrong once `found` is applied over `before`.
Residual apply(const Scene& scene, const Residual& before, const Found& found) {
  Residual after = before;
  after.parameter_bits = found.parameter_bits;
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    const std::vector<uint8_t> inside = membership(scene, at, found.set);
    std::vector<int64_t> wrong;
    after.total[at] = 0;
    for (size_t k = 0; k < view.flat.size(); ++k) {
      if (inside[k] != 0) after.wrong[at][k] = agrees(scene, *found.what, at, view.flat[k]) ? 0 : 1;
      if (after.wrong[at][k] == 0) continue;
      after.total[at] += view.weight[k];
      wrong.push_back(view.flat[k]);
    }
    after.probes[at] = spread_probes(wrong);
  }
  return after;
}

// A part that lists values leaves nothing of its place open.
void clear_listed(const Scene& scene, Residual& residual, const Found& part) {
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const std::vector<uint8_t> inside = membership(scene, at, part.set);
    for (size_t k = 0; k < inside.size(); ++k)
      if (inside[k] != 0) residual.wrong[at][k] = 0;
  }
}

// A part explains most of what failed in its place and was still open: a rule for a few values among many, or for what
// the parts before it got wrong, is no finding.
bool explains_most(const Scene& scene, const Residual& residual, const Found& part) {
  if (part.what->listed()) return true;
  double open = 0, explained = 0;
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    const SetContext context = scene.context(at);
    for (size_t k = 0; k < view.flat.size(); ++k) {
      if (view.failing[k] == 0 || residual.wrong[at][k] == 0 || !contains(part.set, context, view.flat[k])) continue;
      open += view.weight[k];
      if (agrees(scene, *part.what, at, view.flat[k])) explained += view.weight[k];
    }
  }
  return explained >= kFewest && 2 * explained >= open;
}

// Whether an explanation says more than that wrong elements lie anywhere. One that leaves exceptions says it of several
// elements, of a tenth of all at least, and by the margin: a few of many values agree with some rule by chance.
class Organised {
 public:
  Organised(const Scene& scene, const ValueCodes& codes, double scattered)
      : scene_(scene), codes_(codes), scattered_(scattered) {}

  bool operator()(const std::vector<Found>& parts, double bits) const {
    if (parts.size() > 1 && apply_parts(scene_, parts).all() > kLeftOver * scene_.failing_total) return false;
    // Places whose values are listed one by one compete with the list that does the same.
    if (parts.back().what->listed()) return true;
    const double shortest = std::min(bits, recoded_bits(scene_, codes_, parts, bits));
    if (parts.back().exceptions_all() == 0) return shortest < scattered_;
    const double left = apply_parts(scene_, parts).all(), explained = scene_.failing_total - left;
    return shortest < scattered_ - kMarginBits && explained >= std::max(kFewest, kShare * scene_.failing_total);
  }

 private:
  static constexpr double kShare = 0.1;
  const Scene& scene_;
  const ValueCodes& codes_;
  double scattered_;
};

// Other rules for the same place that leave the same exceptions.
std::vector<std::string> other_readings(const std::vector<Found>& found, const Found& part) {
  constexpr size_t kReadings = 6;
  std::vector<std::string> readings;
  for (const Found& one : found)
    if (one.what != part.what && one.set == part.set && one.exceptions == part.exceptions &&
        one.bits < part.bits + kMarginBits && readings.size() < kReadings)
      readings.push_back(to_text(one.set) + ": " + one.what->text);
  return readings;
}

struct Chain {
  std::vector<Found> parts;
  double bits = 0;
};

// Greed takes the larger place first; where the smaller one was planted under it, the other order needs no third rule.
Chain with_first_two_exchanged(const Scene& scene, const Chain& chain) {
  Chain other{{chain.parts[1], chain.parts[0]}, 0};
  Found &first = other.parts[0], &second = other.parts[1];
  if (first.what->listed() || second.what->listed()) return chain;
  first.parameter_bits -= second.parameter_bits;
  second.parameter_bits += first.parameter_bits;
  const Residual left = apply(scene, apply(scene, failing_elements(scene), first), second);
  ListCost cost(scene);
  other.bits = second.parameter_bits;
  second.exceptions = left.total;
  for (size_t at = 0; at < left.total.size(); ++at)
    other.bits += cost(at, left.total[at]) + scene.width * left.total[at];
  return other.bits < chain.bits ? other : chain;
}

// The cheapest chain of rules that starts with `found[seed]`.
Chain grow(const Scene& scene, const Residual& failing, const std::vector<Found>& found, size_t seed,
           const std::vector<std::string>& where, const std::vector<std::string>& what) {
  Chain chain{{found[seed]}, found[seed].bits};
  chain.parts[0].readings = other_readings(found, found[seed]);
  Residual residual = apply(scene, failing, found[seed]);
  while (chain.parts.size() < kParts && residual.all() > 0) {
    const SearchResult next = search_explanations(scene, residual, where, what);
    const auto explains = [&](const Found& one) { return explains_most(scene, residual, one); };
    const auto best = std::find_if(next.found.begin(), next.found.end(), explains);
    if (best == next.found.end() || best->bits > chain.bits - kMarginBits) break;
    Found part = *best;
    part.readings = other_readings(next.found, part);
    chain.bits = part.bits;
    chain.parts.push_back(part);
    if (part.what->listed()) break;
    residual = apply(scene, residual, part);
  }
  return chain.parts.size() < 2 ? chain : with_first_two_exchanged(scene, chain);
}

}  // namespace

std::vector<uint8_t> membership(const Scene& scene, size_t at, const PositionSet& set) {
  const CaseView& view = scene.views[at];
  const SetContext context = scene.context(at);
  std::vector<uint8_t> inside;
  inside.reserve(view.flat.size());
  for (const int64_t flat : view.flat) inside.push_back(contains(set, context, flat) ? 1 : 0);
  return inside;
}

uint64_t outcome(const Scene& scene, const Found& found) {
  uint64_t hash = 0xCBF29CE484222325U;
  if (found.exceptions_all() == 0) return hash;
  const auto add = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001B3U; };
  for (size_t at = 0; at < scene.views.size(); ++at) {
    const CaseView& view = scene.views[at];
    const std::vector<uint8_t> inside = membership(scene, at, found.set);
    for (size_t k = 0; k < view.flat.size(); ++k) {
      const int64_t flat = view.flat[k];
      const bool listed = found.what->listed();
      const bool agreed = inside[k] == 0 || (listed ? view.failing[k] != 0 : agrees(scene, *found.what, at, flat));
      // Outside, and where a list of values passes over an element, the reference is predicted.
      if (inside[k] == 0 ? view.failing[k] == 0 : agreed) continue;
      add(at);
      add(static_cast<uint64_t>(flat));
      const bool own = inside[k] == 0 || listed;
      add(own ? view.source->reference[static_cast<size_t>(flat)] : found.what->predict(at, flat, 0).bits);
    }
  }
  return hash;
}

Residual apply_parts(const Scene& scene, const std::vector<Found>& parts) {
  Residual residual = failing_elements(scene);
  for (const Found& part : parts) {
    if (!part.what->listed()) residual = apply(scene, residual, part);
    if (part.what->listed()) clear_listed(scene, residual, part);
  }
  return residual;
}

Solution solve(const Scene& scene, const std::vector<std::string>& where, const std::vector<std::string>& what) {
  const Residual failing = failing_elements(scene);
  const ValueCodes codes(scene);
  SearchResult search = search_explanations(scene, failing, where, what, &codes);
  Solution solution{std::move(search.found), {}, 0, search.best_rule_bits, {}};
  std::vector<Found>& found = solution.found;
  const double list = std::min(scene.raw_bits, scattered_list_bits(scene, codes));
  if (search.scattered.bits < list) solution.scattered = search.scattered.text;
  const Organised organised(scene, codes, std::min(list, search.scattered.bits));
  if (found.empty() || (found[0].exceptions_all() == 0 && !found[0].what->listed())) {
    if (!found.empty() && !organised({found[0]}, found[0].bits)) found.clear();
    return solution;
  }
  double least = found[0].bits - kMarginBits;
  std::vector<const WhatInstance*> seeds;
  for (size_t k = 0; k < found.size() && seeds.size() < kSeeds; ++k) {
    const Found& seed = found[k];
    if (seed.what->listed() || std::find(seeds.begin(), seeds.end(), seed.what.get()) != seeds.end()) continue;
    if (!explains_most(scene, failing, seed)) continue;
    seeds.push_back(seed.what.get());
    Chain chain = grow(scene, failing, found, k, where, what);
    const bool shorter = solution.composite.empty() ? chain.bits <= least : chain.bits < least;
    if (chain.parts.size() < 2 || !shorter || !organised(chain.parts, chain.bits)) continue;
    least = chain.bits;
    solution.composite = std::move(chain.parts);
    solution.composite_bits = chain.bits;
  }
  if (!solution.composite.empty()) return solution;
  for (size_t k = 0; k < kSeeds && !found.empty() && !organised({found[0]}, found[0].bits); ++k)
    found.erase(found.begin());
  if (!found.empty() && !organised({found[0]}, found[0].bits)) found.clear();
  return solution;
}

}  // namespace faultline
