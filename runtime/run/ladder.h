// The ladder of a case: every rung natively, and from `decompose` to `transfer` in the field.
#pragma once

#include "runtime/run/compare_case.h"

namespace faultline {

// Fills Evidence::rungs. The rung `numerics` is the run that decided.
void climb_ladder(const Subject& subject, Comparison& comparison, int threads);

// Fills Evidence::verifiers from the artefacts of the run that decided.
void run_verifiers(const Subject& subject, Comparison& comparison);

}  // namespace faultline
