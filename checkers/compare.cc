// Elements of evidence through the one comparison of the project.
#include "checkers/compare.h"

#include <algorithm>
#include <span>

#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

double number_of(DType dtype, uint64_t bits) {
  return is_float(dtype) ? decode_quick(host_format(dtype), bits) : static_cast<double>(host_integer(dtype, bits));
}

// `elements` of a dtype as they lie in ElementBits, each in the low bytes of eight.
static TensorType type_of_bits(DType dtype, size_t elements) {
  return {dtype, {static_cast<int64_t>(elements)}, {static_cast<int64_t>(sizeof(uint64_t)) / byte_size(dtype)}, 0};
}

ElementVerdicts compare_elements(const TensorEvidence& tensor, const ElementBits& candidate) {
  return compare_elements(tensor, tensor.target, candidate);
}

ElementVerdicts compare_elements(const TensorEvidence& tensor, const ElementReference& reference,
                                 const ElementBits& candidate) {
  ElementVerdicts verdicts;
  const size_t elements = std::min(tensor.eager.size(), candidate.size());
  const TensorType type = type_of_bits(tensor.actual_type.dtype, elements);
  std::vector<uint8_t>& failing = verdicts.failing;
  failing.resize(elements);
  const ElementView actual{candidate.data(), type};
  const ComparisonOptions options{.sign_of_zero = tensor.zero_signs, .verdicts = failing};
  ElementComparison& found = verdicts.comparison;
  if (reference.exact.empty()) {
    found = compare_bits(actual, {tensor.eager.data(), type}, options);
  } else {
    const auto first = [&](const auto& values) { return std::span(values).first(elements); };
    found =
        compare_to_exact(actual, {first(reference.exact), first(reference.bound), first(reference.untrusted)}, options);
  }
  for (uint8_t& verdict : failing)
    verdict = verdict == static_cast<uint8_t>(ElementVerdict::suspect) ||
              verdict == static_cast<uint8_t>(ElementVerdict::failed);
  failing.resize(tensor.eager.size());
  verdicts.total = static_cast<int64_t>(tensor.eager.size());
  verdicts.wrong = found.failed + found.suspect - found.at_edge;
  verdicts.untrusted = found.untrusted + found.at_edge;
  verdicts.worst_ratio = found.largest_ratio;
  verdicts.worst_difference = found.largest_difference;
  return verdicts;
}

int64_t reference_conflicts(const TensorEvidence& tensor) {
  if (tensor.target.exact.empty() || tensor.eager_type.dtype != tensor.actual_type.dtype) return 0;
  return compare_elements(tensor, tensor.eager).wrong;
}

}  // namespace faultline
