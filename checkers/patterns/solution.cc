// Solving a scene: the search, then combinations. A combination is grown greedily: the exceptions of the best few
// single rules are searched again, and a further rule is taken where it saves more than the margin.
#include "checkers/patterns/solution.h"

#include <algorithm>

namespace faultline {

namespace {

constexpr size_t kSeeds = 3;
constexpr size_t kParts = 3;

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

// The cheapest chain of rules that starts with `seed`.
std::pair<std::vector<Found>, double> grow(const Scene& scene, const Residual& failing, const Found& seed,
                                           const std::vector<std::string>& where,
                                           const std::vector<std::string>& what) {
  std::vector<Found> parts{seed};
  double bits = seed.bits;
  Residual residual = apply(scene, failing, seed);
  while (parts.size() < kParts && residual.all() > 0) {
    const SearchResult next = search_explanations(scene, residual, where, what);
    if (next.found.empty() || next.found[0].bits > bits - kMarginBits) break;
    Found part = next.found[0];
    bits = part.bits;
    const bool listed = part.what->listed();
    parts.push_back(part);
    if (listed) break;
    residual = apply(scene, residual, part);
  }
  return {std::move(parts), bits};
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

Solution solve(const Scene& scene, const std::vector<std::string>& where, const std::vector<std::string>& what) {
  const Residual failing = failing_elements(scene);
  SearchResult search = search_explanations(scene, failing, where, what);
  Solution solution{std::move(search.found), {}, 0, search.best_rule_bits};
  const std::vector<Found>& found = solution.found;
  if (found.empty() || (found[0].exceptions_all() == 0 && !found[0].what->listed())) return solution;
  double least = found[0].bits - kMarginBits;
  std::vector<const WhatInstance*> seeds;
  for (const Found& seed : found) {
    if (seeds.size() == kSeeds) break;
    if (seed.what->listed() || std::find(seeds.begin(), seeds.end(), seed.what.get()) != seeds.end()) continue;
    seeds.push_back(seed.what.get());
    auto [parts, bits] = grow(scene, failing, seed, where, what);
    if (parts.size() < 2 || bits > least) continue;
    least = bits;
    solution.composite = std::move(parts);
    solution.composite_bits = bits;
  }
  return solution;
}

}  // namespace faultline
