// Element comparison.
#include "checkers/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/exact/bounded.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

static inline double number(DType dtype, uint64_t bits) {
  return is_float(dtype) ? decode_quick(host_format(dtype), bits) : static_cast<double>(host_integer(dtype, bits));
}

double number_of(DType dtype, uint64_t bits) { return number(dtype, bits); }

namespace {

void raise(std::optional<double>& worst, double value) {
  if (std::isfinite(value)) worst = std::max(worst.value_or(0), value);
}

// What most elements are; false also where agreement() must look closer. No infinity and no NaN passes.
bool is_plainly_right(const ElementReference& reference, size_t i, double value) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return !reference.exact.empty() && reference.untrusted[i] == 0 && reference.bound[i] <= kLargest &&
         std::abs(value - reference.exact[i]) <= reference.bound[i];
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
    const double value = number(dtype, candidate[i]);
    if (is_plainly_right(reference, i, value)) continue;
    if (reference.exact.empty()) {
      if (tensor.eager[i] == candidate[i]) continue;
      raise(verdicts.worst_difference, std::abs(value - number_of(dtype, tensor.eager[i])));
    } else if (reference.untrusted[i] != 0) {
      ++verdicts.untrusted;
      continue;
    } else {
      const Agreement found = agreement(reference.exact[i], reference.bound[i], value, edge);
      if (found == Agreement::undecided) ++verdicts.untrusted;
      if (found != Agreement::beyond) continue;
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
