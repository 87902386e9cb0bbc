// Element comparison.
#include "checkers/compare.h"

#include <algorithm>
#include <cmath>

#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

double number_of(DType dtype, uint64_t bits) {
  return is_float(dtype) ? decode_quick(host_format(dtype), bits) : static_cast<double>(host_integer(dtype, bits));
}

namespace {

enum class Class { right, wrong, untrusted };

void raise(std::optional<double>& worst, double value) {
  if (std::isfinite(value)) worst = std::max(worst.value_or(0), value);
}

// `edge`: the largest finite number of the dtype.
Class judge(double reference, double bound, double value, double edge) {
  if (std::isnan(reference)) return std::isnan(value) ? Class::right : Class::wrong;
  if (std::isnan(bound) || std::isinf(bound)) return Class::untrusted;  // a bound that is no number is no pass
  if (std::isinf(reference)) return value == reference ? Class::right : Class::wrong;
  if (!std::isfinite(value)) {
    // What may round beyond the edge may be infinite, of the right sign.
    const bool at_edge = std::abs(reference) + bound > edge && std::isinf(value) && (value > 0) == (reference > 0);
    return at_edge ? Class::untrusted : Class::wrong;
  }
  return std::abs(value - reference) <= bound ? Class::right : Class::wrong;
}

}  // namespace

ElementVerdicts compare_elements(const TensorEvidence& tensor, const ElementBits& candidate) {
  return compare_elements(tensor, tensor.target, candidate);
}

ElementVerdicts compare_elements(const TensorEvidence& tensor, const ElementReference& reference,
                                 const ElementBits& candidate) {
  ElementVerdicts verdicts;
  const DType dtype = tensor.actual_type.dtype;
  verdicts.total = static_cast<int64_t>(tensor.eager.size());
  verdicts.failing.assign(tensor.eager.size(), 0);
  const double edge = is_float(dtype) ? limits(host_format(dtype)).largest : 0;
  for (size_t i = 0; i < tensor.eager.size() && i < candidate.size(); ++i) {
    const double value = number_of(dtype, candidate[i]);
    if (reference.exact.empty()) {
      if (tensor.eager[i] == candidate[i]) continue;
      raise(verdicts.worst_difference, std::abs(value - number_of(dtype, tensor.eager[i])));
    } else if (reference.untrusted[i] != 0) {
      ++verdicts.untrusted;
      continue;
    } else {
      const Class found = judge(reference.exact[i], reference.bound[i], value, edge);
      if (found == Class::untrusted) ++verdicts.untrusted;
      if (found != Class::wrong) continue;
      const double bound = reference.bound[i], difference = std::abs(value - reference.exact[i]);
      if (bound > 0) raise(verdicts.worst_ratio, difference / bound);
      if (bound == 0) raise(verdicts.worst_difference, difference);
    }
    verdicts.failing[i] = 1;
    ++verdicts.wrong;
  }
  return verdicts;
}

int64_t reference_conflicts(const TensorEvidence& tensor) {
  if (tensor.target.exact.empty() || tensor.eager_type.dtype != tensor.actual_type.dtype) return 0;
  return compare_elements(tensor, tensor.eager).wrong;
}

}  // namespace faultline
