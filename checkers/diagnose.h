// From evidence to a diagnosis: what was seen, which layer's artefact is first to be wrong while its inputs are right
// (origin), which rung departs first (exposed), and which layer the wrong positions alone would suggest (symptom).
#pragma once

#include "checkers/checker.h"

namespace faultline {

// Fills everything of the verdict that follows from the evidence: outcome, origin, exposed, symptom, operation,
// tensors, rungs, verifiers, evidence, ruled_out, next, sweep, explanation, skipped, ticks.
void diagnose(const Evidence& evidence, Verdict& verdict);

// The worst of the observations' outcomes: a run that did not end before a wrong structure, before wrong values, before
// doubt (docs/sources.md, Oracle: order of decisions). `pass` for none.
Outcome outcome_of(const std::vector<Observation>& observations);

}  // namespace faultline
