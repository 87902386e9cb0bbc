// Elements of evidence through the one comparison of the project.
#include "checkers/compare.h"

#include <algorithm>
#include <map>
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

// Every integer that may be one of several is held to being one of them, and those of one row to being different: what
// is allowed becomes what is due.
static ElementReference with_choices_made(DType dtype, const ElementReference& reference,
                                          const ElementBits& candidate) {
  ElementReference settled = reference;
  std::map<std::pair<int64_t, int64_t>, int64_t> places;  // by row and number
  for (const auto& [element, choice] : reference.choices) {
    const auto at = static_cast<size_t>(element);
    if (at >= candidate.size()) break;
    settled.untrusted[at] = 0;
    const int64_t number = host_integer(dtype, candidate[at]);
    if (!std::binary_search(choice.among->begin(), choice.among->end(), number)) continue;
    const auto [place, first] = places.emplace(std::pair(choice.row, number), choice.place);
    const bool taken = choice.row != 0 && !first && place->second != choice.place;
    if (!taken) settled.exact[at] = static_cast<double>(number);
    // The number of a place that is taken may be the reference's own, which is due no longer.
    if (taken && settled.exact[at] == static_cast<double>(number))
      settled.exact[at] =
          static_cast<double>(choice.among->front() == number ? choice.among->back() : choice.among->front());
  }
  settled.choices.clear();
  return settled;
}

ElementVerdicts compare_elements(const TensorEvidence& tensor, const ElementReference& reference,
                                 const ElementBits& candidate) {
  if (!reference.choices.empty() && !is_float(tensor.actual_type.dtype))
    return compare_elements(tensor, with_choices_made(tensor.actual_type.dtype, reference, candidate), candidate);
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
