// Verdicts per element, never aggregates (docs/sources.md, Oracle: order of decisions).
#pragma once

#include <optional>

#include "checkers/comparison/comparison.h"
#include "runtime/core/evidence.h"

namespace faultline {

struct ElementVerdicts {
  std::vector<uint8_t> failing;  // by element
  int64_t wrong = 0, untrusted = 0, total = 0;
  // Over the wrong elements: the worst |difference| / bound where the bound is above 0, and the worst |difference|
  // where equality is due. None: no such element with a finite difference.
  std::optional<double> worst_ratio, worst_difference;
  // All that was counted. Its suspects are among the wrong here, as the sound profile has it, and what is at_edge among
  // the untrusted.
  ElementComparison comparison;
};

// Holds `candidate` (bits of actual_type's dtype) against the tensor's reference under the target's arithmetic. An
// element fails when it is outside the bound of the fp64 value; NaN and infinity are classes of their own; a reference
// that is no evidence leaves the element untrusted.
ElementVerdicts compare_elements(const TensorEvidence& tensor, const ElementBits& candidate);
// Against another reference.
ElementVerdicts compare_elements(const TensorEvidence& tensor, const ElementReference& reference,
                                 const ElementBits& candidate);

// Elements at which eager itself is outside the bound of the fp64 reference: then the reference, not the backend, is in
// doubt.
int64_t reference_conflicts(const TensorEvidence& tensor);

// The number that bits of a dtype stand for; integers and bools as doubles.
double number_of(DType dtype, uint64_t bits);

}  // namespace faultline
