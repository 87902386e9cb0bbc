// What flushing costs a value that may lie near zero though the far end of its interval does not. RoundingCost goes by
// the far end: ulps grow with it, but what is flushed to 0 does not, and is asked of the near end here.
#pragma once

#include <cmath>

#include "runtime/numerics/arithmetic.h"

namespace faultline {

// Of a result of this dtype with an error so far: the smallest normal number where RoundingCost has not charged it.
inline double late_flush(const Arithmetic& arithmetic, DType dtype, double value, double bound) {
  if (bound == 0 || !arithmetic.flushes_subnormals(dtype)) return 0;
  const double smallest = limits(arithmetic.compute_format(dtype)).smallest_normal, edge = 2 * smallest;
  return std::fabs(value) - bound < edge && std::fabs(value) + bound >= edge ? smallest : 0;
}

}  // namespace faultline
