// Data for which sums are exact in every legal order, so that a result is right to the bit or wrong (docs/sources.md,
// Oracle: exact integers). Found by trial on the references of a program: the rule K * A * B <= 2^p for a sum of K
// products is what comes out where a program is one contraction.
#pragma once

#include <functional>
#include <vector>

#include "runtime/core/evidence.h"

namespace faultline {

// Whole numbers n, 1 <= |n| <= most; with `each` above 1 one of so many elements, about, and 0 otherwise.
struct IntegerData {
  int most = 1, each = 1;
  bool operator==(const IntegerData&) const = default;
};

// A result's type, and its reference on such data.
struct IntegerReference {
  DType dtype = DType::f32;
  ElementReference reference;
};
using ReferencesOf = std::function<std::vector<IntegerReference>(const IntegerData& data)>;

struct ExactIntegers {
  // The largest under which every result is exact; else, of those tried, those with the closest bounds. Results of
  // equal elements or mostly zeros come last: they show no mistake.
  IntegerData exact;
  bool is_exact = false;
  IntegerData wide;  // larger ones under which results are rounded once and no sum is; else as `exact`
};
ExactIntegers find_exact_integers(const ReferencesOf& references);

}  // namespace faultline
