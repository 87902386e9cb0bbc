// Runs that explain a mismatch: the same again, other memory, a layer's work taken away, other sizes.
#pragma once

#include <functional>

#include "runtime/run/compare_case.h"

namespace faultline {

// The same run again, on a new build of the stack and over memory that held another pattern: `actual_repeat` and
// `actual_second_poison`. Where the result is another, each of the two alone.
void run_again(const Subject& subject, Comparison& comparison);

// The target's switches that take a layer's work away, one by one. None where the results are right: there is nothing
// to repair.
void run_substitutions(const Subject& subject, Comparison& comparison);

// One-dimensional programs of one call at sizes around the target's units. Sizes that the program's constants forbid
// are left out. `tensor`: which one to look at.
void run_sweep(const Subject& subject, size_t tensor, Evidence& evidence);

}  // namespace faultline
