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

int64_t count_given_up(const ElementReference& reference) {
  return std::count_if(reference.untrusted.begin(), reference.untrusted.end(), gave_up);
}

// 0 where there is nothing to measure.
double largest_error(DType dtype, const ElementReference& reference, const ElementBits& other) {
  double largest = 0;
  for (size_t i = 0; i < other.size() && i < reference.exact.size(); ++i) {
    const double error = std::fabs(number_of(dtype, other[i]) - reference.exact[i]);
    if (std::isfinite(error)) largest = std::max(largest, error);
  }
  return largest;
}

// The middle one of the magnitudes that the bound would be applied to.
double median_given_up(const ElementReference& reference) {
  std::vector<double> magnitudes;
  for (size_t i = 0; i < reference.untrusted.size(); ++i)
    if (gave_up(reference.untrusted[i])) magnitudes.push_back(std::fabs(reference.exact[i]));
  const auto middle = magnitudes.begin() + std::ssize(magnitudes) / 2;
  std::nth_element(magnitudes.begin(), middle, magnitudes.end());
  return *middle;
}

// The bound that was set, and for how many elements.
struct Measured {
  double bound = 0;
  int64_t held = 0;
};

// Where another order does not end in a number nothing was measured. A bound that is not below the median magnitude of
// the elements it is for is no evidence for them: half could be 0 and pass. Then only elements that exceed it are held
// to it, for which 0 fails; the others stay given up, for the reason they were.
Measured measure(DType dtype, ElementReference& reference, const std::vector<ElementBits>& others) {
  if (count_given_up(reference) == 0) return {};
  double bound = 0;
  for (const ElementBits& other : others) bound = std::max(bound, kSlack * largest_error(dtype, reference, other));
  if (bound == 0) return {};
  const double least = bound < median_given_up(reference) ? 0 : bound;
  int64_t held = 0;
  for (size_t i = 0; i < reference.untrusted.size(); ++i) {
    const auto finite = [&](const ElementBits& other) { return std::isfinite(number_of(dtype, other[i])); };
    if (!gave_up(reference.untrusted[i]) || !std::all_of(others.begin(), others.end(), finite)) continue;
    if (least > 0 && !(std::fabs(reference.exact[i]) > least)) continue;
    reference.untrusted[i] = 0;
    reference.bound[i] = bound;
    ++held;
  }
  return {bound, held};
}

bool none_given_up(const std::vector<TensorEvidence>& tensors, ElementReference TensorEvidence::* reference) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const TensorEvidence& tensor) { return count_given_up(tensor.*reference) == 0; });
}

// The unbroken prims, under the target's own arithmetic or ideally.
std::vector<LeavingTensor<NativeDomain>> unbroken_prims(const Subject& subject, bool own_arithmetic) {
  TrialOptions options;
  options.rung = Layer::decompose;
  options.own_arithmetic = own_arithmetic;
  return StackTrial(subject, Gate::never()).run(options).tensors;
}

}  // namespace

void measure_ideal_bounds(const Subject& subject, std::vector<TensorEvidence>& tensors) {
  if (none_given_up(tensors, &TensorEvidence::ideal)) return;
  const auto other = unbroken_prims(subject, false);
  for (size_t t = 0; t < tensors.size() && t < other.size(); ++t)
    measure(tensors[t].eager_type.dtype, tensors[t].ideal, {tensors[t].eager, bits_of(other[t])});
}

std::vector<std::string> measure_bounds(const Subject& subject, std::vector<TensorEvidence>& tensors) {
  std::vector<std::string> notes;
  if (none_given_up(tensors, &TensorEvidence::target)) return notes;
  const auto other = unbroken_prims(subject, true);
  for (size_t t = 0; t < tensors.size() && t < other.size(); ++t) {
    TensorEvidence& tensor = tensors[t];
    const Measured measured = measure(tensor.eager_type.dtype, tensor.target, {bits_of(other[t])});
    if (measured.held > 0)
      notes.push_back(
          fmt::format("sound bounds of {} at {} of {} elements, where they give up: held to {:.3g}, four "
                      "times the largest error of another legal order",
                      tensor.name, measured.held, tensor.eager.size(), measured.bound));
  }
  return notes;
}

}  // namespace faultline
