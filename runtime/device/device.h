// A deterministic accelerator in virtual time. Memories are cells with shadow state; engines (host queue, DMA queues, compute
// units, ring links) advance by events ordered by (time, sequence). Errors are asynchronous and sticky: they surface when the
// host synchronises, and every later step is refused. A watchdog in virtual time turns "no progress" into a report of who waits
// for whom.
//
// Template over the element domain; instantiated for all three. One Device object is one card with its memory: running several
// job plans on it keeps what earlier ones left (stale memory, cached argument blocks).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/core/gate.h"
#include "runtime/device/job_plan.h"

namespace faultline {

// Costs in ticks (1 tick = 1 ns of the modelled machine) and limits; a target's row fills this from its page.
struct DeviceParameters {
  int64_t launch_ticks = 1000;
  double host_bytes_per_tick = 60;      // PCIe
  double device_bytes_per_tick = 150;   // shared by all cores' DMA
  double scratch_bytes_per_tick = 192;  // one core
  double ring_bytes_per_tick = 48;
  double matrix_macs_per_tick = 1140;   // one core
  double vector_elements_per_tick = 96; // one core
  int64_t dma_setup_ticks = 20;
  int64_t watchdog_ticks = 0;           // 0: max(10 x the clean estimate, 1,000,000)
  int dma_queues_per_core = 2;
  int64_t segment_bytes = int64_t{16} << 30;
  int64_t guard_bytes = 128;
  uint32_t fault_code = 0x7b1b, cascade_code = 0x8758, page_fault_code = 0x1274;
  std::string fault_name = "ComputeHardwareError", cascade_name = "StreamInErrorState", page_fault_name = "ControlBlockSoftFail";
};

// One thing that happened, for the trace and for verify_transfer.
struct TraceEvent {
  enum class Kind : uint8_t { request, start, finish, signal, wait, error };
  Kind kind = Kind::finish;
  int64_t begin = 0, end = 0;  // ticks
  int core = -1;
  std::string track;   // "host", "core 3 load", ...
  std::string what;    // "H2D x", "k0_clone pt", "token 4"
  int buffer = -1;
  int64_t bytes = 0;           // asked for
  int64_t bytes_written = 0;   // that reached their destination
  int64_t request = -1;        // request number; requests and finishes pair up
};

struct DeviceReport {
  enum class End : uint8_t { completed, error, hung };
  End end = End::completed;
  uint32_t error_code = 0;
  std::string error_name;
  std::string oldest_request;
  std::vector<std::string> waits, cycle;
  int64_t ticks = 0, kernel_ticks = 0, transfer_ticks = 0, bytes_moved = 0;
  std::vector<TraceEvent> trace;
  std::vector<std::string> memory_events;
};

}  // namespace faultline
