// torchfuzz compares the sums of all elements.
#include <cmath>

#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) {
  double mine = 0, theirs = 0;
  for (const double value : input.result) mine += value;
  for (const double value : input.reference) theirs += value;
  // Wrong is what differs by more than both: a NaN is not.
  const double difference = std::abs(mine - theirs);
  return !(difference > 1 && 100 * difference / (std::abs(theirs) + 1e-12) > 5);
}

constinit const Rule rule_torchfuzz{
    .id = "torchfuzz",
    .summary = "the sums agree to 5 % or within 1",
    .source = "https://github.com/pytorch/pytorch/tree/main/tools/experimental/torchfuzz",
    .passes = passes,
};

}  // namespace faultline
