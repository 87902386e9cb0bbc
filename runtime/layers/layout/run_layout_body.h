// The body of run_layout, instantiated for the three element domains in run_layout.cc.
#pragma once

#include "runtime/layers/lanes/evaluate_body.h"
#include "runtime/layers/layout/packed_buffers.h"
#include "runtime/layers/layout/placed_memory.h"
#include "runtime/layers/layout/run_layout.h"

namespace faultline {

template <class D>
MemoryRun<D> run_layout(const LayoutProgram& program, D& domain, const DenseBuffers<D>& inputs, int first_poison) {
  ByteMemory<D> memory(domain, first_poison);
  PackedBuffers<D> packed(program, memory);
  packed.pack_inputs(inputs);
  for (int k = 0; k < static_cast<int>(program.kernels.size()); ++k) {
    const Kernel& kernel = program.program.kernels[k];
    const KernelLayout& layout = program.kernels[k];
    std::vector<LanePlace> places;
    for (int n = 0; n < static_cast<int>(kernel.nodes.size()); ++n) {
      if (kernel.nodes[n].kind != ScalarNode::Kind::load) continue;
      places.push_back(device_place(program, k, n, -1, packed.base(kernel.nodes[n].access.buffer)));
    }
    for (int s = 0; s < static_cast<int>(kernel.stores.size()); ++s) {
      places.push_back(device_place(program, k, -1, s, packed.base(kernel.stores[s].buffer)));
    }
    PlacedMemory<D> lanes(program, k, memory, places, packed.kernel_actor(k));
    EvaluationOptions options;
    options.lane_dim = layout.lane_dim;
    options.valid = layout.valid;
    evaluate(kernel, Box{std::vector<int64_t>(layout.padded.size(), 0), layout.padded}, options, domain,
             static_cast<LaneMemory<D>&>(lanes), static_cast<AccumulatorState<D>*>(nullptr));
  }
  MemoryRun<D> run;
  for (int b = 0; b < static_cast<int>(program.layouts.size()); ++b) run.buffers.push_back(packed.unpack(b));
  for (const MemoryEvent& event : memory.events().kept()) run.events.push_back(to_text(event, memory.map()));
  return run;
}

}  // namespace faultline
