// Runs the artefact of `layout` alone: every buffer as packed bytes under its layout, every kernel over its padded box.
#pragma once

#include "runtime/layers/lanes/dense_memory.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

template <class D>
struct MemoryRun {
  DenseBuffers<D> buffers;          // logical values of every buffer, as its layout unpacks them
  std::vector<std::string> events;  // what memory recorded while kernels ran and outputs were unpacked
};

// `inputs`: the values of each graph input. first_poison: the number of the first poison pattern (ByteMemory).
template <class D>
MemoryRun<D> run_layout(const LayoutProgram& program, D& domain, const DenseBuffers<D>& inputs, int first_poison = 0);

}  // namespace faultline
