// Names what is wrong with one tensor: positions, values, samples.
#pragma once

#include "checkers/patterns/pattern.h"
#include "runtime/core/evidence.h"
#include "runtime/core/verdict.h"

namespace faultline {

// Names the wrong positions and values of one tensor, all cases of the sweep together where there is one.
PatternReport name_tensor(const Evidence& evidence, size_t tensor);

// A pattern as far as it may be stated: as a fact where it explains every wrong element without exceptions and no rival
// explains them as well; else "for 17 of 20: ..." or "perhaps ..."; empty where it explains no more than half.
struct Claim {
  std::string where, what, unit;
};
Claim claim_of(const PatternReport& pattern);

// The verdict's account of a tensor whose pattern is known.
WrongTensor describe_tensor(const Evidence& evidence, size_t tensor, const PatternReport& pattern);

// "65: [64,65) wrong", "63: crashed: ...", "64: passes".
std::string sweep_row(const SweepPoint& point);

}  // namespace faultline
