// Another legal order, measured.
#include "runtime/run/measured_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checkers/compare.h"
#include "runtime/exact/bounded.h"
#include "runtime/run/compare_case.h"

namespace faultline {

namespace {

constexpr uint32_t kGaveUp = Bounded::denominator | Bounded::unbounded;
constexpr double kSlack = 4;

// An infinite bound is also one beyond the edge of the format.
bool gave_up(uint32_t reasons) { return (reasons & kGaveUp) != 0 && (reasons & ~(kGaveUp | Bounded::overflow)) == 0; }

int64_t count_given_up(const TensorEvidence& tensor) {
  return std::count_if(tensor.target.untrusted.begin(), tensor.target.untrusted.end(), gave_up);
}

// 0 where there is nothing to measure.
double largest_error(const TensorEvidence& tensor, const ElementBits& other) {
  double largest = 0;
  for (size_t i = 0; i < other.size() && i < tensor.target.exact.size(); ++i) {
    const double error = std::fabs(number_of(tensor.eager_type.dtype, other[i]) - tensor.target.exact[i]);
    if (std::isfinite(error)) largest = std::max(largest, error);
  }
  return largest;
}

}  // namespace

std::vector<std::string> measure_bounds(const Subject& subject, std::vector<TensorEvidence>& tensors) {
  std::vector<std::string> notes;
  if (std::none_of(tensors.begin(), tensors.end(), [](const auto& tensor) { return count_given_up(tensor) > 0; }))
    return notes;
  StackTrial clean(subject, Gate::never());
  TrialOptions options;
  options.rung = Layer::decompose;
  options.own_arithmetic = true;
  const TrialOutcome<NativeDomain> other = clean.run(options);
  for (size_t t = 0; t < tensors.size() && t < other.tensors.size(); ++t) {
    TensorEvidence& tensor = tensors[t];
    const int64_t count = count_given_up(tensor);
    const double error = largest_error(tensor, bits_of(other.tensors[t]));
    if (count == 0 || error == 0) continue;
    for (size_t i = 0; i < tensor.target.untrusted.size(); ++i) {
      if (!gave_up(tensor.target.untrusted[i])) continue;
      tensor.target.untrusted[i] = 0;
      tensor.target.bound[i] = kSlack * error;
    }
    notes.push_back(
        fmt::format("sound bounds of {} at {} of {} elements, where they give up: held to {:.3g}, four times "
                    "the largest error of another legal order",
                    tensor.name, count, tensor.eager.size(), kSlack * error));
  }
  return notes;
}

}  // namespace faultline
