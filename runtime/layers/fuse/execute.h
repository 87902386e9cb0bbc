// Runs the artefact of `fuse` alone: every kernel over its whole box, on dense logical arrays.
#pragma once

#include "runtime/layers/lanes/dense_memory.h"

namespace faultline {

// `inputs`: the values of each graph input. Returns the values of every buffer, by buffer. Memory that no kernel wrote
// is poison. Lanes run along the last parallel dim.
template <class D>
DenseBuffers<D> run_kernels(const KernelProgram& program, D& domain, const DenseBuffers<D>& inputs);

}  // namespace faultline
