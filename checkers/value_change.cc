// Classes of numeric damage.
#include "checkers/value_change.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "checkers/compare.h"
#include "runtime/numerics/format.h"

namespace faultline {

namespace {

using Tensors = std::span<const TensorEvidence>;

struct Tally {
  int64_t failing = 0, special = 0, saturated = 0;
  double largest_failing = 0, smallest_passing = std::numeric_limits<double>::infinity();
  double least_factor = std::numeric_limits<double>::infinity(), greatest_factor = -least_factor;
};

void add_failing(Tally& tally, double right, double got, double edge) {
  ++tally.failing;
  const bool finite = std::isfinite(right) && std::isfinite(got);
  const bool at_end = std::abs(got) >= edge, endless = std::isinf(right) && std::isfinite(got);
  if (at_end && (std::isfinite(right) || endless)) {
    ++tally.saturated;
  } else if (!finite) {
    ++tally.special;
  }
  if (!finite) return;
  tally.largest_failing = std::max(tally.largest_failing, std::abs(right));
  const double factor = right == 0 ? std::numeric_limits<double>::infinity() : got / right;
  tally.least_factor = std::min(tally.least_factor, factor);
  tally.greatest_factor = std::max(tally.greatest_factor, factor);
}

bool is_judged(const TensorEvidence& tensor) {
  return is_float(tensor.actual_type.dtype) && !tensor.target.exact.empty() &&
         tensor.actual.size() == tensor.eager.size();
}

void add_tensor(Tally& tally, const TensorEvidence& tensor) {
  const DType dtype = tensor.actual_type.dtype;
  if (!is_judged(tensor)) return;
  const std::vector<uint8_t> failing = compare_elements(tensor, tensor.actual).failing;
  const double edge = limits(host_format(dtype)).largest;
  for (size_t i = 0; i < failing.size(); ++i) {
    if (failing[i] != 0) {
      add_failing(tally, tensor.target.exact[i], number_of(dtype, tensor.actual[i]), edge);
    } else if (tensor.target.untrusted[i] == 0 && tensor.target.exact[i] != 0) {
      tally.smallest_passing = std::min(tally.smallest_passing, std::abs(tensor.target.exact[i]));
    }
  }
}

// Bits of which flipping one alone makes the element right, where it is wrong by so much that no rounding does that.
uint64_t undoing_bits(const TensorEvidence& tensor, size_t element) {
  constexpr double kFar = 16;  // bounds
  const DType dtype = tensor.actual_type.dtype;
  const double exact = tensor.target.exact[element], bound = tensor.target.bound[element];
  const double got = number_of(dtype, tensor.actual[element]);
  uint64_t bits = 0;
  if (std::abs(got - exact) <= kFar * bound) return bits;
  for (int64_t bit = 0; bit < 8 * byte_size(dtype); ++bit) {
    const uint64_t mask = uint64_t{1} << bit;
    if (std::abs(number_of(dtype, tensor.actual[element] ^ mask) - exact) <= bound) bits |= mask;
  }
  return bits;
}

bool one_bit_undoes_all(Tensors tensors) {
  uint64_t bits = ~uint64_t{0};
  bool any = false;
  for (const TensorEvidence& tensor : tensors) {
    if (!is_judged(tensor)) continue;
    const std::vector<uint8_t> failing = compare_elements(tensor, tensor.actual).failing;
    for (size_t i = 0; i < failing.size(); ++i) {
      if (failing[i] == 0) continue;
      any = true;
      bits &= undoing_bits(tensor, i);
    }
  }
  return any && bits != 0;
}

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

// How likely it is that `wrong` of `total` elements in order fall into `runs` runs or fewer by chance.
double chance_of_runs(int64_t total, int64_t wrong, int64_t runs) {
  const auto n = static_cast<double>(total), k = static_cast<double>(wrong);
  double chance = 0;
  for (int64_t r = 1; r <= runs; ++r) {
    const auto parts = static_cast<double>(r);
    if (parts > k || parts > n - k + 1) break;
    chance += std::exp(log_choose(k - 1, parts - 1) + log_choose(n - k + 1, parts) - log_choose(n, k));
  }
  return chance;
}

// Wrong elements are neighbours when all are put in the order of their magnitudes, or of their values, and neither the
// smallest nor the largest are among them alone: a band.
bool is_band(const TensorEvidence& tensor) {
  constexpr double kByChance = 0.01;
  if (!is_judged(tensor)) return false;
  const std::vector<uint8_t> failing = compare_elements(tensor, tensor.actual).failing;
  for (const bool magnitude : {true, false}) {
    std::vector<std::pair<double, bool>> elements;
    int64_t wrong = 0;
    for (size_t i = 0; i < failing.size(); ++i) {
      const double exact = tensor.target.exact[i];
      if (tensor.target.untrusted[i] != 0 || !std::isfinite(exact)) continue;
      elements.emplace_back(magnitude ? std::abs(exact) : exact, failing[i] != 0);
      wrong += failing[i] != 0;
    }
    std::sort(elements.begin(), elements.end());
    int64_t runs = 0;
    for (size_t i = 0; i < elements.size(); ++i) runs += elements[i].second && (i == 0 || !elements[i - 1].second);
    const bool between = wrong > 0 && !elements.front().second && !elements.back().second;
    if (between && runs <= 2 && chance_of_runs(std::ssize(elements), wrong, runs) < kByChance) return true;
  }
  return false;
}

std::string_view change_of(Tensors tensors, bool approximates, bool sums) {
  constexpr double kSameFactor = 0.02, kTiny = 1e-3;
  Tally tally;
  for (const TensorEvidence& tensor : tensors) add_tensor(tally, tensor);
  if (tally.failing == 0) return "departs";
  if (2 * tally.saturated >= tally.failing) return "saturated";
  if (2 * tally.special >= tally.failing) return "special";
  if (tally.largest_failing < kTiny && tally.largest_failing < tally.smallest_passing) return "small";
  const double middle = (tally.least_factor + tally.greatest_factor) / 2;
  if (std::isfinite(middle) && tally.failing > 1 && std::abs(middle - 1) > 2 * kSameFactor &&
      tally.greatest_factor - tally.least_factor < kSameFactor * std::abs(middle))
    return "scaled";
  if (one_bit_undoes_all(tensors)) return "one_bit";
  if (approximates && std::any_of(tensors.begin(), tensors.end(), is_band)) return "segment";
  return sums ? "accumulated" : "departs";
}

}  // namespace

std::string_view value_change(const Evidence& evidence) {
  if (evidence.steps.empty()) return change_of(evidence.tensors, evidence.approximates, evidence.reduces);
  const StepEvidence& first = evidence.steps.front();
  const std::string_view change = change_of({&first.tensor, 1}, first.approximates, first.sums);
  // Where a copy gives the end of the range for an infinity, nothing overflowed: the infinity was its source.
  return first.copies && change == "saturated" ? "special" : change;
}

}  // namespace faultline
