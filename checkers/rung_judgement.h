// What one rung of the ladder says: does it agree with eager, and by which comparison.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/core/evidence.h"

namespace faultline {

struct RungJudgement {
  std::optional<bool> agrees;  // none: not run
  std::string how;             // "within bounds, equal in the field", "1 of 65 wrong", "crashed: ..."
};

// Native values are held against the references' bounds, element by element; field values against those of the rung
// above. A rung that ended without values departs, unless it was never asked to run.
RungJudgement judge_rung(const Evidence& evidence, const RungEvidence& rung);

// Layers between the last good rung above `departure` and that rung itself whose own rungs did not run: any of them may
// be the one that departs first.
std::vector<Layer> untried_layers(const Evidence& evidence, int departure);

// Index of the first rung that departs while a rung above it agrees; -1: none.
int first_departure(const Evidence& evidence);

// "IndexError" of "IndexError: index out of range".
std::string class_of_error(const std::string& raised);

// Of a program of several calls the first agrees with eager and a later one does not: at this rung, or in the end.
bool only_later_calls(const Evidence& evidence, const RungEvidence* rung = nullptr);

// The layer of the departing rung; none where there is none. A stage that lowers operators and generates code for them
// belongs to the second layer where code does not compile or does not run, where two runs differ, and where no operator
// by itself departs. Where only later calls are wrong it is what was kept of the first: capture. Where vectors alone
// are wrong, and of one function, and right on ordinary numbers, it is what the vector function computes.
std::optional<Layer> exposed_layer(const Evidence& evidence, int departure);

}  // namespace faultline
