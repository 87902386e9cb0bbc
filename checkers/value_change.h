// How wrong numbers differ from right ones, in the words of the taxonomy's numerics rules.
#pragma once

#include <string_view>

#include "runtime/core/evidence.h"

namespace faultline {

// Over the failing elements: "special" (a NaN or infinity came or went), "saturated" (the end of the range stands where
// a finite number should), "small" (only the smallest magnitudes are wrong), "one_bit" (undone by flipping one bit, the
// same in all), "scaled" (one factor), "segment" (a band of values of what approximates functions), "accumulated" (of
// what sums, and none of the above), or "departs". The first step that departs on its own operands speaks if there is
// one, else what leaves the program.
std::string_view value_change(const Evidence& evidence);

}  // namespace faultline
