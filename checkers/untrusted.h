// Why elements of a tensor cannot be judged: the reasons of their reference, in words.
#pragma once

#include <string>
#include <vector>

#include "runtime/core/evidence.h"

namespace faultline {

// "1 of 3 elements of z cannot be judged: a number beyond the machine's range"; empty where all can.
std::string unjudged(const TensorEvidence& tensor);

// Whether an output passes on this evidence: at least half of its elements could be judged (docs/sources.md, Oracle:
// weak evidence).
inline bool is_enough(int64_t judged, int64_t elements) { return 2 * judged >= elements; }

// Above 30 % (docs/sources.md, Oracle: weak evidence).
inline bool are_too_many_zeros(int64_t zeros, int64_t elements) { return 10 * zeros > 3 * elements; }

// Why an output that passes proves less than it seems (docs/sources.md, Oracle: weak evidence): all elements equal,
// more than 30 % zeros, saturated elements, bounds beyond every value of the tensor. Floats only: integers and truth
// values are compared exactly and often few.
std::vector<std::string> weaknesses(const TensorEvidence& tensor);

}  // namespace faultline
