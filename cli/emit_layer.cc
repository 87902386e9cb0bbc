// Runs the program on the rung `decompose`, or with eager operators where there is no such rung, to learn its segments;
// then compiles each as far as asked.
#include "cli/emit_layer.h"

#include "faults/fault_gate.h"
#include "runtime/backends/model/eager_segments.h"
#include "runtime/backends/model/program_run.h"
#include "runtime/backends/model/rung_runner.h"
#include "runtime/base/error.h"
#include "runtime/layers/fuse/kernel_text.h"
#include "runtime/layers/schedule/machine_text.h"
#include "runtime/run/subject.h"

namespace faultline {

namespace {

std::string text_of(const CompiledSegment& compiled, Layer layer) {
  switch (layer) {
    case Layer::decompose: return to_text(compiled.prims);
    case Layer::fuse: return to_text(compiled.kernels);
    case Layer::layout: return to_text(compiled.layouts);
    case Layer::tile: return to_text(compiled.tiles);
    case Layer::schedule: return to_text(compiled.machine);
    default: return to_text(compiled.plan, compiled.machine);
  }
}

Capture capture_with(const Subject& subject, SegmentRunner<NativeDomain>& runner, NativeDomain& domain, Gate& gate) {
  Capture capture;
  run_program(subject.test_case.program, copy_inputs(subject.inputs), capture, runner, domain, gate);
  return capture;
}

Capture capture_case(const Subject& subject, ModelStack& stack, Layer layer, FaultGate& gate) {
  const IdealArithmetic ideal(&subject.model->arithmetic());
  NativeDomain domain(ideal);
  RungRunner<NativeDomain> runner(stack, domain, {Layer::decompose});
  try {
    return capture_with(subject, runner, domain, gate);
  } catch (const Rejected&) {
    if (layer != Layer::capture) throw;
  }
  NativeDomain host(host_arithmetic());
  EagerSegmentRunner eager;
  FaultGate again(subject.test_case.faults);
  return capture_with(subject, eager, host, again);
}

}  // namespace

std::vector<EmittedArtefact> emit_layer(const Case& test_case, Layer layer) {
  if (layer == Layer::numerics)
    throw UserError("the layer numerics leaves values, no artefact; 'faultline ladder' shows them");
  check_faults(test_case.faults);
  const Subject subject(test_case);
  FaultGate gate(test_case.faults);
  ModelStack stack(*subject.model, gate);
  const Capture capture = capture_case(subject, stack, layer, gate);
  if (layer == Layer::capture) return {{capture.name, to_text(capture), {}}};
  std::vector<EmittedArtefact> artefacts;
  for (size_t entry = 0; entry < capture.entries.size(); ++entry) {
    if (capture.entries[entry].eager) continue;  // beyond the recompile limit nothing is compiled
    const Segment& segment = capture.entries[entry].segment;
    const CompiledSegment& compiled = stack.compile(static_cast<int>(entry), segment, layer);
    artefacts.push_back({segment.name, text_of(compiled, layer), {}});
    if (layer == Layer::schedule) artefacts.back().descriptors = subject.model->descriptors(compiled.machine);
  }
  return artefacts;
}

}  // namespace faultline
