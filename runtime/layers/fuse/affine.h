// Algebra on the quasi-affine expressions of accesses (kernel.h), under the knowledge that index[d] runs over [0,
// extents[d]).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/layers/fuse/kernel.h"

namespace faultline {

// Both ends included.
struct Range {
  int64_t low = 0, high = 0;
};

// Bounds of the values taken; exact for one term, and for sums whose terms use different dims.
Range range_of(const Term& term, std::span<const int64_t> extents);
Range range_of(const Affine& affine, std::span<const int64_t> extents);

Affine constant_affine(int64_t constant);
Affine index_affine(int dim);
Affine scaled(Affine affine, int64_t factor);
Affine sum(Affine a, const Affine& b);

// An equal expression in normal form: terms by dim then divisor, no term that is always 0, no idle modulus, and the
// pieces of one index joined again where they meet: (i / 4) * 4 + i % 4 is i.
Affine simplified(const Affine& affine, std::span<const int64_t> extents);

struct Division {
  Affine quotient, remainder;
};
// floor(affine / divisor) and the rest, when both are quasi-affine; nothing otherwise (two indices that meet in one
// digit).
std::optional<Division> divided(const Affine& affine, int64_t divisor, std::span<const int64_t> extents);

// The change of the value from one index of `dim` to the next, when it is the same everywhere.
std::optional<int64_t> step_along(const Affine& affine, int dim);

}  // namespace faultline
