// From evidence to a diagnosis: what was seen, which layer's artefact is first to be wrong while its inputs are right
// (origin), which rung departs first (exposed), and which layer the wrong positions alone would suggest (symptom).
#pragma once

#include "checkers/checker.h"
#include "checkers/patterns/pattern.h"

namespace faultline {

// Fills everything of the verdict that follows from the evidence: outcome, origin, exposed, symptom, operation,
// tensors, rungs, verifiers, evidence, ruled_out, next, sweep, explanation, skipped.
void diagnose(const Evidence& evidence, Verdict& verdict);

// The worst of the observations' outcomes, in the order of oracle.md section 2.
Outcome outcome_of(const std::vector<Observation>& observations);

// Names the wrong positions and values of one tensor, all cases of the sweep together where there is one.
PatternReport name_tensor(const Evidence& evidence, size_t tensor);

}  // namespace faultline
