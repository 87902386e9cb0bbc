// What requests do to memories, as the event loop asks for it at the tick at which it happens. The loop knows no
// element domain; whoever implements this knows no time.
#pragma once

#include "runtime/device/job_plan.h"

namespace faultline {

// A copy on its way. A host copy has a step, an engine's copy a descriptor.
struct CopyOrder {
  const JobStep* step = nullptr;
  const Descriptor* descriptor = nullptr;
  int64_t base = 0;  // device address of the buffer as this request has it
  int core = -1;
  int actor = 0;      // in memory shadows and events
  int64_t bytes = 0;  // how many of the first bytes move
  uint8_t flip_mask = 0;
  int64_t flip_offset = 0;    // among the bytes that move
  bool flip_at_rest = false;  // before the copy looks at them
};

struct Moved {
  int64_t read = 0, written = 0;
  uint64_t checksum_read = 0, checksum_written = 0;  // where checksums are kept
};

class DeviceEffects {
 public:
  virtual ~DeviceEffects() = default;

  // The host's allocator: buffers whose life begins or ends with this launch (-1: the inputs).
  virtual void begin_launch(int launch) = 0;
  virtual int64_t base(int buffer) const = 0;

  // A copy reads its source when it begins and writes its target when it ends. `slot` numbers the place where the bytes
  // are in between; a slot is used again only after its put.
  virtual void take(int slot, const CopyOrder& order) = 0;
  virtual Moved put(int slot, const CopyOrder& order) = 0;

  virtual void compute(const Compute& compute, int core, int actor) = 0;
  virtual void send(const Compute& compute, int core, int peer) = 0;
  virtual bool receive(const Compute& compute, int core, int peer) = 0;

  // The host looks at what it has received: what arrives later is too late.
  virtual void synchronise() = 0;
};

}  // namespace faultline
