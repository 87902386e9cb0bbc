// Spyre's two cost formulas, fitted by torch-spyre on the device.
// https://github.com/torch-spyre/torch-spyre, torch_spyre/_inductor: cost_model.py and work_division.py.
#pragma once

#include <cstdint>

namespace faultline::spyre {

// A matmul [M,K] x [K,N], its sizes whole sticks where they lie in sticks.
struct MatmulShape {
  int64_t m = 1, k = 1, n = 1;
  int64_t element_bytes = 2;
  bool weight_shared = true;  // the right operand is the same for the whole batch
};
struct MatmulSplit {
  int64_t m = 1, n = 1, k = 1;
  bool operator==(const MatmulSplit&) const = default;
};

// Parts of the planner's estimate in microseconds, so that each can be looked at.
struct SplitCost {
  double compute = 0, memory = 0, partial_sums = 0, penalties = 0;
  double total() const { return compute + memory + partial_sums + penalties; }
};
SplitCost split_cost(const MatmulShape& shape, const MatmulSplit& split);

// Time of a kernel in nanoseconds: bytes as read and written (whole sticks, a broadcast operand once), multiply-adds
// over the cores that work, m_per_core rows on each (0: no matmul).
double kernel_time(int64_t bytes_read, int64_t bytes_written, int64_t multiply_adds, int64_t cores, int64_t m_per_core);

}  // namespace faultline::spyre
