// The verdict over two tensors in one pass over memory: every element against its bound, by class where one of them is
// no number (docs/sources.md, Oracle: element bounds), with the statistics of the whole beside it. No statistic decides
// anything: an element passes by its own r alone.
//
//   r = |out - y| / E       r <= 1 passed, r <= 4 suspect, otherwise failed; decided in binary64
//
// y NaN          NaN passes, with any sign and payload; anything else failed: NaN lost
// y infinite     itself passes; NaN, the other infinity and a number failed, but a number that is as near to the edge
// as
//                its own bound is suspect, where the bound is a function of the magnitude
// y finite       NaN and infinity failed; where |y| + E is beyond the largest finite number, NaN and the infinity of
// y's
//                sign are suspect
// E              negative, infinite or NaN: untrusted, whatever `out` is, unless y is NaN
//
// The r that is reported and counted in the histogram is held in the precision it is computed in: binary32 for a bound
// that is a function of a reference of up to 32 bits, binary64 otherwise; it lies on the side of 1 and 4 on which the
// verdict is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/ir/tensor.h"

namespace faultline {

// The first element of a storage of packed host elements, and which of its elements in which order.
struct ElementView {
  const void* storage;
  const TensorType& type;
};

// E = relative * |y| + ulps * ulp(|y|) + floor, ulp in the format of both. No part may be negative, infinite or NaN.
struct BoundOfReference {
  double relative = 0, ulps = 0, floor = 0;
};

// y and E by element in row-major order of the tensor's sizes, and a mask of reasons to distrust y (empty: none).
// Integers and bools have their number as y.
struct GivenReference {
  std::span<const double> exact, bound;
  std::span<const uint32_t> untrusted;
};

struct ComparisonOptions {
  bool sign_of_zero = false;        // the operation promises it and the target keeps it
  std::optional<double> largest{};  // the largest finite magnitude of the target; otherwise of the dtype
  int threads = 1;                  // at most; one for what is small
  size_t listed = 0;                // at most so many elements in ElementComparison::beyond
  std::span<uint8_t> verdicts{};    // an ElementVerdict each, where they are wanted
};

// at_edge: suspect, because an infinity or NaN may be due.
enum class ElementVerdict : uint8_t { passed, suspect, failed, untrusted, at_edge };

// r up to 2^-8, then one a power of two up to and with 2^8, then above. Class failures have an infinite r.
inline constexpr int kRatioBins = 18;
int ratio_bin(double ratio);

struct ElementComparison {
  int64_t total = 0, passed = 0, suspect = 0, failed = 0, untrusted = 0;  // total: the other four
  int64_t at_edge = 0;                                                    // of the suspects; they have no r
  // Of the failed, by class; what is in none has a number for a number.
  int64_t nan_lost = 0, nan_made = 0, infinity_lost = 0, infinity_made = 0, infinity_sign = 0, zero_sign = 0;
  int64_t nan_bits = 0;  // another NaN, where bits must be equal
  // Numbers above and below their numbers, of all trusted elements and of the suspects.
  int64_t above = 0, below = 0, suspects_above = 0, suspects_below = 0;
  std::array<int64_t, kRatioBins> histogram{};  // of r: everything but the untrusted and at_edge
  // The first element with the largest r, compared to 14 binary digits behind the first; -1: none above 2^-24.
  int64_t worst = -1;
  double worst_ratio = 0, worst_ulps = 0;  // infinite where classes differ
  double largest_ulps = 0;                 // |out - y| / ulp(|y|), of trusted numbers; of integers |out - y|
  // Over elements beyond their bound, numbers for numbers: the largest finite r, and the largest |out - y| where E = 0.
  std::optional<double> largest_ratio, largest_difference;
  std::vector<int64_t> beyond;  // the first of the suspect (not at_edge) and failed, by row-major index, rising

  bool operator==(const ElementComparison&) const = default;
};

// Of one dtype and one shape, any strides. A bound that is no bound is a UserError. Integers and bools: as
// compare_bits.
ElementComparison compare_to_reference(const ElementView& actual, const ElementView& reference,
                                       const BoundOfReference& bound, const ComparisonOptions& options = {});
ElementComparison compare_to_exact(const ElementView& actual, const GivenReference& reference,
                                   const ComparisonOptions& options = {});
// For data movement, integers and bools: every bit counts, E = 0.
ElementComparison compare_bits(const ElementView& actual, const ElementView& reference,
                               const ComparisonOptions& options = {});

}  // namespace faultline
