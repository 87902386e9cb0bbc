// What the host asks of a device for one run of a machine program: copies in with conversion, argument patching,
// launches, copies out. Planned from the machine program alone (layouts, allocations, launches), never from a layer
// above.
#pragma once

#include <string>
#include <vector>

#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// A nested copy of elements between a dense host array (row-major logical order) and device memory, converting between
// the host's format and the storage map: one record for full sticks plus one for every unaligned remainder
// (docs/sources.md, Spyre: layouts and transfers).
struct TransferRecord {
  struct Level {
    int64_t count = 1, host_stride = 0, device_stride = 0;  // elements
    bool operator==(const Level&) const = default;
  };
  int64_t host_offset = 0, device_offset = 0;  // elements
  std::vector<Level> levels;                   // outermost first
  int64_t elements() const;
  bool operator==(const TransferRecord&) const = default;
};

// The records that move a whole tensor of these sizes under this layout.
std::vector<TransferRecord> transfer_records(const DeviceLayout& layout, const Sizes& sizes);

struct JobStep {
  enum class Kind : uint8_t { host_to_device, patch, compute, device_to_host };
  Kind kind = Kind::compute;
  int buffer = -1;  // for copies
  int launch = -1;  // for patch and compute
  std::vector<TransferRecord> records;
  bool operator==(const JobStep&) const = default;
};

struct JobPlan {
  std::vector<JobStep> steps;  // one FIFO stream
};

JobPlan plan_job(const MachineProgram& program);
std::string to_text(const JobPlan& plan, const MachineProgram& program);

}  // namespace faultline
