// What is known of a row in order whose elements have errors. Sorting is monotone and 1-Lipschitz: the k-th of the
// elements lies between the k-th of their lower ends and the k-th of their upper ends. Which element stands at k is
// open among those whose box reaches there; equal elements keep their order where they are exact and the order is
// stable.
#pragma once

#include <span>

#include "runtime/exact/exact_domain.h"

namespace faultline {

struct RowOrder {
  bool descending = false;
  bool stable = false;  // equal elements keep their order; otherwise any of them may come first
};

// `values` and `indices`: the first of the row in order as they were computed, or empty. Their bounds, reasons and
// choices are replaced, where the numbers are those of the row in order; else they stay as they are.
void settle_sorted_row(ExactDomain& domain, DType dtype, const RowOrder& order, std::span<const Bounded> row,
                       std::span<Bounded> values, std::span<Bounded> indices);

}  // namespace faultline
