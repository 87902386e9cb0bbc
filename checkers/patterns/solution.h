// The answer of one search over one scene: explanations in order, what each predicts, and combinations of them.
#pragma once

#include "checkers/patterns/proposals.h"

namespace faultline {

struct Solution {
  std::vector<Found> found;      // below the plain list, cheapest first
  std::vector<Found> composite;  // parts that together beat the best single one by the margin; else empty
  double composite_bits = 0;
  double best_rule_bits = 0;
  std::string scattered;  // what stands at wrong elements that lie anywhere, where a rule says it shortest; else empty
};

// `where` and `what` restrict the families by id; empty: all.
Solution solve(const Scene& scene, const std::vector<std::string>& where, const std::vector<std::string>& what);

// What stays wrong under all parts, each over the ones before.
Residual apply_parts(const Scene& scene, const std::vector<Found>& parts);

// Membership of each sample of a case.
std::vector<uint8_t> membership(const Scene& scene, size_t at, const PositionSet& set);

// Equal where two explanations predict the same output. Elements that agree with what was seen are the same by
// definition, so only exceptions and what they predict count.
uint64_t outcome(const Scene& scene, const Found& found);

}  // namespace faultline
