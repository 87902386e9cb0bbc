// A deterministic accelerator in virtual time. Memories are cells with shadow state; engines (host queue, DMA queues,
// compute units, ring links) advance by events ordered by (time, sequence). Errors are asynchronous and sticky: they
// surface when the host synchronises, and every later step is refused. A watchdog in virtual time turns "no progress"
// into a report of who waits for whom.
//
// Template over the element domain; instantiated for all three. One Device object is one card with its memory: running
// several job plans on it keeps what earlier ones left (stale memory, cached argument blocks). Calls alternate between
// two arenas of device memory, as a caching allocator hands out other blocks while the caller still holds the last
// call's tensors; the older arena stays mapped until it is reused.
#pragma once

#include <memory>

#include "runtime/core/gate.h"
#include "runtime/core/memory_state.h"
#include "runtime/device/device_report.h"
#include "runtime/device/job_plan.h"
#include "runtime/layers/lanes/dense_memory.h"

namespace faultline {

// Costs in ticks (1 tick = 1 ns of the modelled machine) and limits; a target's row fills this from its page.
struct DeviceParameters {
  int64_t launch_ticks = 1000;
  double host_bytes_per_tick = 60;      // PCIe
  double device_bytes_per_tick = 150;   // shared by all cores' DMA
  double scratch_bytes_per_tick = 192;  // one core
  double ring_bytes_per_tick = 48;
  double matrix_macs_per_tick = 1140;    // one core
  double vector_elements_per_tick = 96;  // one core
  int64_t dma_setup_ticks = 20;
  int64_t watchdog_ticks = 0;  // 0: max(10 x the clean estimate, 1,000,000)
  int64_t segment_bytes = int64_t{16} << 30;
  uint32_t fault_code = 0x7b1b, cascade_code = 0x8758, page_fault_code = 0x1274;
  std::string fault_name = "ComputeHardwareError", cascade_name = "StreamInErrorState",
              page_fault_name = "ControlBlockSoftFail";
};

struct DeviceOptions {
  bool trace = false;  // fills DeviceReport::trace and the checksums of requests
  MemoryState memory = MemoryState::fresh;
};

template <class D>
struct DeviceRun {
  // Outputs and write-backs by buffer number, as the host received them: what did not arrive is poison of host memory.
  // Empty for the others, and for all unless the run completed.
  DenseBuffers<D> buffers;
  DeviceReport report;
};

template <class D>
class Device {
 public:
  // Keeps references to domain and gate.
  Device(const DeviceParameters& parameters, D& domain, Gate& gate, int first_poison = 0, DeviceOptions options = {});
  ~Device();

  // One job, from its first copy in to synchronisation. `inputs`: the values of each graph input, as machine numbers.
  // `call`: which call of the case's program it belongs to. An error or a hang ends the job, not the device: the next
  // run has a new stream.
  DeviceRun<D> run(const MachineProgram& program, const JobPlan& plan, const DenseBuffers<D>& inputs, int call = 0);

 private:
  struct Card;
  std::unique_ptr<Card> card_;
};

}  // namespace faultline
