// The third reference (docs/sources.md, Oracle: order of decisions): the target's own type in another legal order.
#pragma once

#include <string>
#include <vector>

#include "runtime/core/evidence.h"
#include "runtime/run/subject.h"

namespace faultline {

// Sound bounds of long programs in narrow types give up: a denominator within its error, a sum too long. There, and
// only there, an element is held to a measured bound instead: four times the largest error against fp64 that the
// unbroken prims make under the target's arithmetic, taken over the tensor; where that is no evidence they stay given
// up. Returns a sentence a tensor where that was done.
std::vector<std::string> measure_bounds(const Subject& subject, std::vector<TensorEvidence>& tensors);

// The same for the reference arithmetic of the rungs, with eager as one other order and the unbroken prims as another:
// eager rounds a half's norm or softmax once, prims after each step.
void measure_ideal_bounds(const Subject& subject, std::vector<TensorEvidence>& tensors);

}  // namespace faultline
