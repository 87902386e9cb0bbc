// The in-order interpreter. Only outputs are read back: intermediate buffers may never reach device memory, or share
// it.
#include "runtime/layers/schedule/run_machine.h"

#include <algorithm>

#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/layers/layout/host_image.h"
#include "runtime/layers/schedule/machine_state.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

namespace {

struct Step {
  int core = 0;
  const Instruction* instruction = nullptr;
};

std::vector<Step> in_sequence(const Launch& launch) {
  std::vector<Step> steps;
  for (const Stream& stream : launch.streams)
    for (const Instruction& instruction : stream.instructions) steps.push_back({stream.core, &instruction});
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.instruction->sequence < b.instruction->sequence; });
  return steps;
}

template <class D>
void run_step(MachineState<D>& state, const Launch& launch, const Step& step, int actor) {
  const Instruction& instruction = *step.instruction;
  switch (instruction.opcode) {
    case Opcode::copy: state.copy(launch.descriptors[instruction.descriptor], step.core, actor); break;
    case Opcode::compute: state.compute(launch.computes[instruction.compute], step.core, actor); break;
    case Opcode::send: state.send(launch.computes[instruction.compute], step.core, instruction.peer); break;
    case Opcode::receive: state.receive(launch.computes[instruction.compute], step.core, instruction.peer); break;
    case Opcode::wait:
    case Opcode::signal: break;
  }
}

}  // namespace

template <class D>
MemoryRun<D> run_machine(const MachineProgram& program, D& domain, const DenseBuffers<D>& inputs, int first_poison) {
  ByteMemory<D> device(domain, first_poison);
  ScratchSet<D> scratch(domain, first_poison);
  MachineState<D> state(program, domain, device, scratch);
  state.begin_launch(-1, true);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const int b = program.inputs[i];
    pack(program.layouts[b], program.buffers[b].sizes, program.buffers[b].dtype, inputs[i], device, state.base(b));
  }
  int actor = kHostActor;
  MemoryRun<D> run;
  run.buffers.resize(program.buffers.size());
  for (size_t l = 0; l < program.launches.size(); ++l) {
    state.begin_launch(static_cast<int>(l), true);
    for (const Step& step : in_sequence(program.launches[l])) run_step(state, program.launches[l], step, ++actor);
  }
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.role != BufferRole::output) continue;
    run.buffers[b] = unpack(program.layouts[b], buffer.sizes, buffer.dtype, device, state.base(static_cast<int>(b)));
  }
  for (const MachineMemoryEvent& event : state.memory_events()) run.events.push_back(event.place + ": " + event.text);
  return run;
}

template MemoryRun<NativeDomain> run_machine(const MachineProgram&, NativeDomain&, const DenseBuffers<NativeDomain>&,
                                             int);
template MemoryRun<ExactDomain> run_machine(const MachineProgram&, ExactDomain&, const DenseBuffers<ExactDomain>&, int);
template MemoryRun<FingerprintDomain> run_machine(const MachineProgram&, FingerprintDomain&,
                                                  const DenseBuffers<FingerprintDomain>&, int);

}  // namespace faultline
