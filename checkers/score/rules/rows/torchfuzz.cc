// torchfuzz compares the sums of all elements.
#include <algorithm>
#include <cmath>

#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) {
  double mine = 0, theirs = 0;
  for (const double value : input.result) mine += value;
  for (const double value : input.reference) theirs += value;
  if (std::isnan(mine) && std::isnan(theirs)) return true;
  return std::abs(mine - theirs) <= std::max(1.0, 0.05 * std::abs(theirs));
}

constinit const Rule rule_torchfuzz{
    .id = "torchfuzz",
    .summary = "the sums agree to 5 % or within 1",
    .source = "https://github.com/pytorch/pytorch/tree/main/tools/experimental/torchfuzz",
    .passes = passes,
};

}  // namespace faultline
