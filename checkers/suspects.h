// What a crowd of suspects says. An element that is beyond its bound, but not far, may be an unlucky sum; many of them
// that all lie on the same side are not unlucky.
#pragma once

#include <cstdint>

#include "runtime/core/evidence.h"

namespace faultline {

// Beyond this multiple of its bound an element is wrong by itself; up to it and above 1 it is a suspect.
inline constexpr double kSuspectRatioMax = 4;

struct SuspectCount {
  int64_t above = 0, below = 0;  // between 1 and kSuspectRatioMax times the bound
  int64_t far = 0;               // beyond
};
// Against a reference with its bounds.
SuspectCount count_suspects(const TensorEvidence& tensor, const ElementReference& reference, const ElementBits& values);
// Of the tensor's sharp bounds; nothing where there are none.
SuspectCount count_suspects(const TensorEvidence& tensor);

// Whether so many suspects above and below their references are one-sided: under a fair coin a split at least as uneven
// has a chance below 1e-9. Elements that share a sum (a softmax's denominator) are no independent coins: of them a
// crowd has the chance of that one sum to leave its bound. Fewer than 31 never are. It can only accuse: no number of
// suspects excuses an element.
bool is_one_sided(int64_t above, int64_t below);

}  // namespace faultline
