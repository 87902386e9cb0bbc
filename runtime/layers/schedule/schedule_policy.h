// What a target decides about machine programs.
#pragma once

#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

struct SchedulePolicy {
  int64_t alignment = 128;    // of allocations in device memory, bytes
  int64_t guard_bytes = 128;  // kept free around every allocation
  int segments = 1;           // of device memory that may hold tensors
  int64_t segment_bytes = int64_t{16} << 30;
  bool reuse_memory = true;  // allocations whose live ranges do not meet may share addresses
};

// The unit that carries out a kernel: matrix for contractions, move for kernels that compute nothing, vector otherwise.
Unit unit_of(const Kernel& kernel);

}  // namespace faultline
