// The exact binomial tail, in logarithms.
#include "checkers/suspects.h"

#include <algorithm>
#include <cmath>

#include "checkers/compare.h"

namespace faultline {

SuspectCount count_suspects(const TensorEvidence& tensor, const ElementReference& reference,
                            const ElementBits& values) {
  const ElementComparison counts = compare_elements(tensor, reference, values).comparison;
  return {counts.suspects_above, counts.suspects_below, counts.failed};
}

SuspectCount count_suspects(const TensorEvidence& tensor) {
  if (tensor.sharp_bound.empty()) return {};
  ElementReference sharp = tensor.target;
  sharp.bound = tensor.sharp_bound;
  return count_suspects(tensor, sharp, tensor.actual);
}

bool is_one_sided(int64_t above, int64_t below) {
  constexpr double kChance = 1e-9;
  const int64_t count = above + below, fewer = std::min(above, below);
  // 2 * sum of C(count, k) / 2^count over k <= fewer, as multiples of its last and largest term.
  const auto n = static_cast<double>(count);
  double largest_log = 0, sum = 0;
  for (int64_t k = fewer; k >= 0; --k) {
    const auto x = static_cast<double>(k);
    const double log_term = std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) - n * std::log(2.0);
    if (k == fewer) largest_log = log_term;
    const double term = std::exp(log_term - largest_log);
    sum += term;
    if (term < 1e-12) break;
  }
  return std::log(2 * sum) + largest_log < std::log(kChance);
}

}  // namespace faultline
