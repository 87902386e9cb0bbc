// The ladder of a case: every rung natively, and from `decompose` to `transfer` in the field.
#pragma once

#include <functional>
#include <optional>

#include "runtime/run/compare_case.h"

namespace faultline {

// Fills Evidence::rungs. The rung `numerics` is the run that decided. `beside`: other things to do at the same time,
// which touch neither rungs nor the ideal reference.
void climb_ladder(const Subject& subject, Comparison& comparison, const std::vector<std::function<void()>>& beside,
                  int threads);

// Whether the deepest rung that computes ideally makes its results of other operands than the prims do: values within
// their bounds may hide it. None where that was not compared: in a program that only moves, which shows it by itself,
// or where a rung did not end. Nothing is kept.
std::optional<bool> departs_in_field(const Subject& subject, Comparison& comparison);

// Fills Evidence::verifiers from the artefacts of the run that decided.
void run_verifiers(const Subject& subject, Comparison& comparison);

}  // namespace faultline
