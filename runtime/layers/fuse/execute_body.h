// The body of run_kernels, instantiated for the three element domains in execute.cc.
#pragma once

#include "runtime/layers/fuse/execute.h"
#include "runtime/layers/lanes/evaluate_body.h"

namespace faultline {

template <class D>
DenseBuffers<D> run_kernels(const KernelProgram& program, D& domain, const DenseBuffers<D>& inputs) {
  FAULTLINE_CHECK(inputs.size() == program.inputs.size(), program.name);
  DenseBuffers<D> buffers(program.buffers.size());
  const Kernel nothing;
  DenseMemory<D> unwritten(program, nothing, domain, buffers);
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    if (program.buffers[b].role == BufferRole::input) continue;
    buffers[b].assign(static_cast<size_t>(element_count(program.buffers[b].sizes)),
                      unwritten.poison(static_cast<int>(b)));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Buffer& buffer = program.buffers[program.inputs[i]];
    FAULTLINE_CHECK(static_cast<int64_t>(inputs[i].size()) == element_count(buffer.sizes), buffer.name);
    buffers[program.inputs[i]] = inputs[i];
  }
  for (const Kernel& kernel : program.kernels) {
    DenseMemory<D> memory(program, kernel, domain, buffers);
    EvaluationOptions options;
    options.lane_dim = kernel.parallel - 1;
    evaluate(kernel, whole_box(kernel), options, domain, static_cast<LaneMemory<D>&>(memory),
             static_cast<AccumulatorState<D>*>(nullptr));
  }
  return buffers;
}

}  // namespace faultline
