// A deterministic accelerator in virtual time. Memories are cells with shadow state; engines (host queue, DMA queues,
// compute units, ring links) advance by events ordered by (time, sequence). Errors are asynchronous and sticky: they
// surface when the host synchronises, and every later step is refused. A watchdog in virtual time turns "no progress"
// into a report of who waits for whom.
//
// Template over the element domain; instantiated for all three. One Device object is one card with its memory: running
// several job plans on it keeps what earlier ones left (stale memory, cached argument blocks). Calls alternate between
// two arenas of device memory, the two halves of every segment, as a caching allocator hands out other blocks while the
// caller still holds the last call's tensors; the older arena stays mapped until it is reused.
//
// What the fields of a TransferAnswer come to, beside what their names say (job_run.h says which request asks as what):
//
//   drop             of a launch: nothing of it runs; of a signal: it is lost
//   duplicate        a copy is carried out again after it has replied; a launch runs again before it replies; a signal
//                    counts twice; a launch's `completion` counts for the host's next step too
//   no_completion    the issuer waits for ever
//   early_completion with a delay: the issuer goes on, and the bytes are later by the delay
//   address_offset   of a patch: within the argument block; of a launch: on every base; of a signal: on the token
//   keep_bytes       of a patch or launch: bytes of the argument block; the rest stays as it was before
//   stale_arguments  of a launch that is its kernel's first: nothing
//
// An address outside the card's memory ends in a page fault.
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
  bool trace = false;  // fills DeviceReport::trace and the checksums of all requests
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
