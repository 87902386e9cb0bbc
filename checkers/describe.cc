// What is wrong with each tensor: positions, values, samples.
#include <fmt/format.h>

#include <cmath>

#include "checkers/compare.h"
#include "checkers/describe.h"
#include "checkers/diagnose.h"

namespace faultline {

namespace {

uint64_t element_mask(DType dtype) {
  return byte_size(dtype) == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * byte_size(dtype))) - 1;
}

std::vector<double> tolerances(const TensorEvidence& tensor) {
  std::vector<double> tolerance;
  bool exact = true;
  for (const double bound : tensor.bound) exact = exact && bound == 0;
  if (!exact) tolerance = tensor.bound;
  return tolerance;
}

ObservedCase observed(const Evidence& evidence, const TensorEvidence& tensor) {
  ObservedCase seen;
  seen.sizes = tensor.actual_type.sizes;
  seen.dtype = tensor.actual_type.dtype;
  seen.got = tensor.actual;
  seen.reference = tensor.eager;
  seen.failing = compare_elements(tensor, tensor.actual).failing;
  seen.tolerance = tolerances(tensor);
  if (!tensor.actual_second_poison.empty()) {
    seen.got_poison2 = tensor.actual_second_poison;
    seen.poison1 = evidence.poison1 & element_mask(seen.dtype);
    seen.poison2 = evidence.poison2 & element_mask(seen.dtype);
  }
  seen.previous_output = tensor.previous_call;
  return seen;
}

ObservedCase observed(const Evidence& evidence, const SweepPoint& point, DType dtype) {
  ObservedCase seen;
  seen.sizes = {point.size};
  seen.dtype = dtype;
  seen.got = point.actual;
  seen.reference = point.eager;
  seen.failing.resize(point.actual.size());
  for (size_t i = 0; i < point.actual.size(); ++i) seen.failing[i] = point.actual[i] != point.eager[i];
  if (!point.actual_second_poison.empty()) {
    seen.got_poison2 = point.actual_second_poison;
    seen.poison1 = evidence.poison1 & element_mask(dtype);
    seen.poison2 = evidence.poison2 & element_mask(dtype);
  }
  return seen;
}

std::string value_text(DType dtype, uint64_t bits) {
  return fmt::format("0x{:0{}x} ({:.7g})", bits, 2 * byte_size(dtype), number_of(dtype, bits));
}

}  // namespace

PatternReport name_tensor(const Evidence& evidence, size_t t) {
  const TensorEvidence& tensor = evidence.tensors[t];
  std::vector<ObservedCase> cases;
  if (!evidence.sweep.empty() && tensor.actual_type.sizes.size() == 1) {
    for (const SweepPoint& point : evidence.sweep)
      if (!point.actual.empty()) cases.push_back(observed(evidence, point, tensor.actual_type.dtype));
  }
  if (cases.empty()) cases.push_back(observed(evidence, tensor));
  std::vector<UnitHint> hints;
  for (const auto& [name, elements] : evidence.units)
    if (elements > 1) hints.push_back({elements, name, std::nullopt, {}});
  return name_pattern(cases, hints);
}

WrongTensor describe_tensor(const Evidence& evidence, size_t t, const PatternReport& pattern) {
  const TensorEvidence& tensor = evidence.tensors[t];
  constexpr std::string_view kRoles[] = {"output", "input_after", "attribute_after"};
  const ElementVerdicts verdicts = compare_elements(tensor, tensor.actual);
  WrongTensor wrong;
  wrong.name = tensor.name;
  wrong.call = tensor.call;
  wrong.role = kRoles[static_cast<int>(tensor.role)];
  wrong.total = verdicts.total;
  wrong.wrong = verdicts.wrong;
  wrong.worst_ratio = verdicts.worst_ratio;
  wrong.where = to_text(positions_of(verdicts.failing));
  if (!pattern.explanations.empty()) {
    wrong.what = pattern.explanations[0].what;
    wrong.unit = pattern.explanations[0].unit;
    wrong.pattern = pattern.explanations[0].where;
  }
  for (size_t i = 0; i < verdicts.failing.size() && wrong.samples.size() < 3; ++i)
    if (verdicts.failing[i])
      wrong.samples.push_back(fmt::format("[{}]: {}, eager {}", i,
                                          value_text(tensor.actual_type.dtype, tensor.actual[i]),
                                          value_text(tensor.eager_type.dtype, tensor.eager[i])));
  return wrong;
}

}  // namespace faultline
