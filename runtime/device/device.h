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
#include "runtime/device/device_parameters.h"
#include "runtime/device/device_report.h"
#include "runtime/device/job_plan.h"
#include "runtime/layers/lanes/dense_memory.h"

namespace faultline {

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
