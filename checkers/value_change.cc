// Classes of numeric damage.
#include "checkers/value_change.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "checkers/compare.h"
#include "runtime/numerics/format.h"

namespace faultline {

namespace {

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

void add_tensor(Tally& tally, const TensorEvidence& tensor) {
  const DType dtype = tensor.actual_type.dtype;
  if (!is_float(dtype) || tensor.target.exact.empty() || tensor.actual.size() != tensor.eager.size()) return;
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

}  // namespace

std::string_view value_change(const Evidence& evidence) {
  constexpr double kSameFactor = 0.02, kTiny = 1e-3;
  Tally tally;
  for (const TensorEvidence& tensor : evidence.tensors) add_tensor(tally, tensor);
  if (tally.failing == 0) return "departs";
  if (2 * tally.saturated >= tally.failing) return "saturated";
  if (2 * tally.special >= tally.failing) return "special";
  if (tally.largest_failing < kTiny && tally.largest_failing < tally.smallest_passing) return "small";
  const double middle = (tally.least_factor + tally.greatest_factor) / 2;
  if (std::isfinite(middle) && tally.failing > 1 && std::abs(middle - 1) > 2 * kSameFactor &&
      tally.greatest_factor - tally.least_factor < kSameFactor * std::abs(middle))
    return "scaled";
  return evidence.reduces ? "accumulated" : "departs";
}

}  // namespace faultline
