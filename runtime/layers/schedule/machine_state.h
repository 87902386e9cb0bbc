// What instructions do: device memory, every core's scratch memory and accumulators, and the effect of one instruction
// on them. No time and no order in here: the in-order interpreter (run_machine.h) and the event-driven device call the
// same effects.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/layers/lanes/evaluate.h"
#include "runtime/layers/memory/byte_memory.h"
#include "runtime/layers/schedule/machine_program.h"
#include "runtime/layers/schedule/scratch_set.h"

namespace faultline {

inline constexpr int64_t kSegmentShift = 34;  // 16 GB segments: address = segment << 34 | offset

// One memory event, as reports print it: what was running and what it touched.
struct MachineMemoryEvent {
  std::string place;  // "device" or "core 3 scratch"
  std::string text;
  int64_t bytes = 0;
  MemoryEventKind kind = MemoryEventKind::read_undefined;
};

template <class D>
class MachineState {
 public:
  using Value = typename D::Value;

  // Keeps references to all. `device` and `scratch` outlive the state: a card keeps its memory between programs.
  MachineState(const MachineProgram& program, D& domain, ByteMemory<D>& device, ScratchSet<D>& scratch);

  // Allocations come and go with their live ranges. Launch -1: the inputs; launches.size(): nothing more begins.
  // fresh: memory that begins to live is never written; otherwise what was left there stays.
  void begin_launch(int launch, bool fresh);
  // Nothing of the program lives any longer. The program itself need not exist by then.
  void release_all();

  // Absolute device address of a buffer; `offset` is added by argument patching.
  int64_t base(int buffer) const { return bases_[buffer]; }
  void set_base(int buffer, int64_t address) { bases_[buffer] = address; }

  // Effects. `actor` numbers the instruction in memory shadows and events; above 0.
  void copy(const Descriptor& descriptor, int core, int actor);
  void compute(const Compute& compute, int core, int actor);
  void send(const Compute& compute, int core, int peer);
  // False when nothing from `peer` has arrived.
  bool receive(const Compute& compute, int core, int peer);

  ByteMemory<D>& device() { return device_; }
  ByteMemory<D>& scratch(int core) { return scratch_.of(core, program_.scratch_bytes); }
  const MachineProgram& program() const { return program_; }
  D& domain() { return domain_; }
  // `arena`: what set_base added to every address. Addresses outside all allocations are printed without it.
  std::vector<MachineMemoryEvent> memory_events(int64_t arena = 0) const;

 private:
  // Partial results by kernel and parallel part of the box.
  using PartialKey = std::pair<int, std::vector<int64_t>>;
  static PartialKey key_of(const Compute& compute, const Kernel& kernel);

  using Partials = std::map<PartialKey, AccumulatorState<D>>;
  Evaluator<D>& evaluator(int kernel);

  const MachineProgram& program_;
  D& domain_;
  ByteMemory<D>& device_;
  ScratchSet<D>& scratch_;
  std::vector<int64_t> bases_;
  std::vector<int> regions_;          // by buffer; 0: not placed
  std::map<int, Partials> partials_;  // by core
  std::map<int, std::unique_ptr<Evaluator<D>>> evaluators_;
  std::map<std::pair<int, int>, std::vector<AccumulatorState<D>>> in_flight_;  // (from, to): partial results sent
};

}  // namespace faultline
