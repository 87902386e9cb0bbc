// Why elements of a tensor cannot be judged: the reasons of their reference, in words.
#pragma once

#include "runtime/core/evidence.h"

namespace faultline {

// "1 of 3 elements of z cannot be judged: a number beyond the machine's range"; empty where all can.
std::string unjudged(const TensorEvidence& tensor);

}  // namespace faultline
