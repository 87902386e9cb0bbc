// torchfuzz compares the sums of all elements, which come in the type of the elements.
#include <cmath>

#include "checkers/score/rules/rule.h"
#include "runtime/numerics/format.h"

namespace faultline {

static bool passes(const RuleInput& input) {
  const auto sum = [&](std::span<const double> values) {
    double total = 0;
    for (const double value : values) total += value;
    return round_to(host_format(input.dtype), total);
  };
  const double mine = sum(input.result), theirs = sum(input.reference);
  // Wrong is what differs by more than both: a NaN is not.
  const double difference = std::abs(mine - theirs);
  return !(difference > 1 && 100 * difference / (std::abs(theirs) + 1e-12) > 5);
}

constinit const Rule rule_torchfuzz{
    .id = "torchfuzz",
    .summary = "the sums agree to 5 % or within 1",
    .source =
        "https://github.com/pytorch/pytorch/blob/57ba412974d87ca62f0c7010e5953581587c40c6/"
        "tools/experimental/torchfuzz/checks.py",
    .passes = passes,
};

}  // namespace faultline
