// Runs that explain a mismatch: the same again, other memory, a layer's work taken away, other sizes.
#pragma once

#include <functional>

#include "runtime/run/compare_case.h"

namespace faultline {

// The same run again, on a new build of the stack: `actual_repeat`.
void repeat_run(const Subject& subject, Evidence& evidence);

// The target's switches that take a layer's work away, one by one, and ideal arithmetic (the rung `transfer`).
void run_substitutions(const Subject& subject, Evidence& evidence);

// One-dimensional programs of one call at sizes around the target's units. Sizes that the program's constants forbid
// are left out. `tensor`: which one to look at.
void run_sweep(const Subject& subject, size_t tensor, Evidence& evidence);

}  // namespace faultline
