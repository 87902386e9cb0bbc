// What a family of values sees and does: probes of the wrong elements with their bit patterns, the places where those
// patterns occur otherwise, and `offer`, which screens a rule on the probes and prices it with every family of places.
#pragma once

#include <map>

#include "checkers/patterns/scorer.h"

namespace faultline {

struct Probe {
  size_t at;  // case
  int64_t flat;
  uint64_t got;
  uint64_t reference;
};

class ValueCodes;

// The shortest account of a rule at elements that lie anywhere.
struct Scattered {
  double bits = std::numeric_limits<double>::infinity();
  std::string text;
};

class Proposals {
 public:
  Proposals(const Scene& scene, const Residual& residual, ListCost& cost);

  const Scene& scene() const { return scene_; }
  const std::vector<Probe>& probes() const { return probes_; }

  // Positions of each probe's wrong value in the reference, and in a known buffer.
  const std::vector<std::vector<int64_t>>& in_reference();
  const std::vector<std::vector<int64_t>>& in_buffer(size_t buffer);

  // `text` is asked only of rules that explain something. A null `predict` lists the values. A rule that knows no value
  // for some of what is right, as a shift at the edge, is offered a second time as one that leaves that alone.
  void offer(double bits, Predict predict, const std::function<std::string()>& text, bool garbage = false);

  void set_family(const WhatFamily* family) { family_ = family; }
  void restrict_places(const std::vector<std::string>& ids) { places_ = ids; }
  std::vector<Found>& found() { return found_; }
  double best_seen() const { return scorer_.best_seen(); }
  // Asked for with codes only: then every rule is also priced as scattered.
  void set_codes(const ValueCodes* codes) { codes_ = codes; }
  const Scattered& scattered() const { return scattered_; }

 private:
  const std::vector<std::vector<int64_t>>& positions(int buffer);
  bool wanted(std::string_view where) const;
  // Prices one rule with every family of places; false where it explains no wrong element.
  bool price(const std::shared_ptr<WhatInstance>& what, const std::function<std::string()>& text);

  const Scene& scene_;
  Scorer scorer_;
  std::vector<Probe> probes_;
  std::map<int, std::vector<std::vector<int64_t>>> positions_;  // by buffer; -1: the reference
  const WhatFamily* family_ = nullptr;
  std::vector<std::string> places_;  // families of places to try; empty: all
  std::vector<Found> found_;
  const ValueCodes* codes_ = nullptr;
  Scattered scattered_;
};

// Keys by falling count, at most `limit`, ties to the smaller key.
template <class Key>
std::vector<Key> most_common(const std::map<Key, int64_t>& counts, size_t limit) {
  std::vector<std::pair<int64_t, Key>> order;
  for (const auto& [key, count] : counts) order.emplace_back(-count, key);
  std::sort(order.begin(), order.end());
  std::vector<Key> keys;
  for (size_t k = 0; k < order.size() && k < limit; ++k) keys.push_back(order[k].second);
  return keys;
}

// Every explanation of `residual` below its plain list, cheapest first. `where` and `what` restrict the families by id;
// empty: all.
struct SearchResult {
  std::vector<Found> found;
  double best_rule_bits;  // even of a rule that loses to the list
  Scattered scattered;    // where `codes` are given
};
SearchResult search_explanations(const Scene& scene, const Residual& residual, const std::vector<std::string>& where,
                                 const std::vector<std::string>& what, const ValueCodes* codes = nullptr);

}  // namespace faultline
