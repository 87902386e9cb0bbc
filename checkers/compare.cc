// Element comparison.
#include "checkers/compare.h"

#include <cmath>

#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

double number_of(DType dtype, uint64_t bits) {
  return is_float(dtype) ? decode_quick(host_format(dtype), bits) : static_cast<double>(host_integer(dtype, bits));
}

namespace {

enum class Class { right, wrong, untrusted };

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
    if (reference.exact.empty()) {
      if (tensor.eager[i] == candidate[i]) continue;
    } else if (reference.untrusted[i] != 0) {
      ++verdicts.untrusted;
      continue;
    } else {
      const double value = number_of(dtype, candidate[i]);
      const double ratio = std::abs(value - reference.exact[i]) / reference.bound[i];
      if (reference.bound[i] > 0 && std::isfinite(ratio) && ratio > verdicts.worst_ratio.value_or(-1)) {
        verdicts.worst_ratio = ratio;
        verdicts.worst_element = static_cast<int64_t>(i);
      }
      const Class found = judge(reference.exact[i], reference.bound[i], value, edge);
      if (found == Class::untrusted) ++verdicts.untrusted;
      if (found != Class::wrong) continue;
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
