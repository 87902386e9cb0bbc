// A card: the memory, arenas and arguments that outlive a job. One job is a JobRun over MemoryEffects.
#include "runtime/device/device.h"

#include "runtime/device/job_run.h"
#include "runtime/device/memory_effects.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

namespace {

constexpr int kArenas = 2;
constexpr int kHostPattern = 500'000;  // even: keeps the parity of the first poison pattern

}  // namespace

template <class D>
struct Device<D>::Card {
  Card(const DeviceParameters& p, D& d, Gate& g, int poison, DeviceOptions o)
      : parameters(p), domain(d), gate(g), first_poison(poison), options(o), memory(d, poison) {
    memory.set_zeroed(options.memory == MemoryState::zeroed);
  }

  // The scratch memories with which a job begins.
  ScratchSet<D>& begin_scratch() {
    if (!scratch || options.memory != MemoryState::stale)
      scratch = std::make_unique<ScratchSet<D>>(domain, first_poison, options.memory == MemoryState::zeroed);
    scratch->begin_program();
    return *scratch;
  }
  // The older arena's allocations live until here.
  MachineState<D>& begin_state(const MachineProgram& program, int number) {
    std::unique_ptr<MachineState<D>>& state = arenas[number];
    if (state) state->release_all();
    memory.begin_program();
    state = std::make_unique<MachineState<D>>(program, domain, memory, begin_scratch());
    for (size_t b = 0; b < program.buffers.size(); ++b)
      state->set_base(static_cast<int>(b), state->base(static_cast<int>(b)) + arena_address(number));
    return *state;
  }
  int64_t arena_address(int number) const { return number * (parameters.segment_bytes / kArenas); }

  DeviceParameters parameters;
  D& domain;
  Gate& gate;
  int first_poison;
  DeviceOptions options;
  ByteMemory<D> memory;
  std::unique_ptr<ScratchSet<D>> scratch;
  std::unique_ptr<MachineState<D>> arenas[kArenas];  // of the last job in each: only to release its allocations
  CardHistory history;
};

template <class D>
Device<D>::Device(const DeviceParameters& parameters, D& domain, Gate& gate, int first_poison, DeviceOptions options)
    : card_(std::make_unique<Card>(parameters, domain, gate, first_poison, options)) {}

template <class D>
Device<D>::~Device() = default;

template <class D>
DeviceRun<D> Device<D>::run(const MachineProgram& program, const JobPlan& plan, const DenseBuffers<D>& inputs,
                            int call) {
  const int arena = call % kArenas;
  MachineState<D>& state = card_->begin_state(program, arena);
  const DeviceOptions& options = card_->options;
  MemoryEffects<D> effects(state, plan, inputs,
                           {options.memory != MemoryState::stale, options.trace, card_->first_poison + kHostPattern});
  JobRun job(card_->parameters, program, plan, card_->gate, effects, card_->history, {options.trace, call, kHostActor});
  DeviceRun<D> run;
  run.report = job.run();
  run.report.arena = card_->arena_address(arena);
  if (run.report.end == DeviceReport::End::completed) run.buffers = std::move(effects.received());
  run.buffers.resize(program.buffers.size());
  for (const MachineMemoryEvent& event : state.memory_events(run.report.arena)) {
    std::string text = event.place + ": " + event.text;
    if (event.kind == MemoryEventKind::write_guard || event.kind == MemoryEventKind::write_unmapped)
      run.report.outside_writes.push_back(text);
    run.report.memory_events.push_back(std::move(text));
  }
  return run;
}

template class Device<NativeDomain>;
template class Device<ExactDomain>;
template class Device<FingerprintDomain>;

}  // namespace faultline
