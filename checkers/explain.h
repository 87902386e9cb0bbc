// Puts a diagnosis into words: what was ruled out and by which observation, what to do next, one paragraph for people.
#pragma once

#include "checkers/patterns/pattern.h"
#include "runtime/core/evidence.h"
#include "runtime/core/verdict.h"

namespace faultline {

// `verdict` has its outcome, origin, exposed, symptom and tensors already. `departure`: index of the rung, or -1.
void explain(const Evidence& evidence, const PatternReport& pattern, int departure, Verdict& verdict);

}  // namespace faultline
