// Joining the partial results of a reduction that was split over cores or tiles.
#pragma once

#include <algorithm>
#include "runtime/layers/lanes/evaluate.h"

namespace faultline {

// into = into op other, point by point; `into` stands first in the order of the reduction.
template <class D>
void combine_partials(const Kernel& kernel, D& domain, AccumulatorState<D>& into, const AccumulatorState<D>& other) {
  const Reduction reduction = kernel.reduction->reduction;
  const ScalarNode& reduced = kernel.nodes[kernel.reduction->node];
  const bool product = kernel.kernel_class == KernelClass::contraction;
  const DType dtype = product ? kernel.nodes[reduced.operands[0]].dtype : reduced.dtype;
  if (into.accumulators.empty() && into.extremes.empty()) {
    into = other;
    return;
  }
  for (size_t i = 0; i < std::min(into.accumulators.size(), other.accumulators.size()); ++i)
    domain.combine(reduction, dtype, &into.accumulators[i], other.accumulators[i]);
  for (size_t i = 0; i < std::min(into.extremes.size(), other.extremes.size()); ++i) {
    if (other.extreme_indices[i] < 0) continue;
    if (into.extreme_indices[i] >= 0 && !domain.replaces(reduction, dtype, into.extremes[i], other.extremes[i]))
      continue;
    into.extremes[i] = other.extremes[i];
    into.extreme_indices[i] = other.extreme_indices[i];
  }
}

}  // namespace faultline
