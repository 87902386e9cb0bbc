// Steps that depart from the declared arithmetic, as evidence.
#pragma once

#include "runtime/backends/model/arithmetic_check.h"
#include "runtime/core/evidence.h"

namespace faultline {

// The results in the host format of their type, or in f64 where the machine's numbers do not fit it.
StepEvidence step_evidence(const ArithmeticDeparture& departure);

// "tanh of aten.tanh.default: 12 of 4096 results leave the bound on their own operands, first element 5: 0.75, due
// 0.7431 +- 0.0004".
BrokenPromise finding_of(const ArithmeticDeparture& departure);

}  // namespace faultline
