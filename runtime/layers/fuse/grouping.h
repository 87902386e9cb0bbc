// Which nodes get a buffer, and so a kernel, of their own.
#pragma once

#include <vector>

#include "runtime/layers/fuse/fuse_graph.h"

namespace faultline {

// By node. Inputs and literals that nobody keeps never do. A node without a mark is written into the kernels of its
// users; the emitter may still ask for a buffer where no access map exists.
std::vector<uint8_t> choose_buffers(const FuseGraph& graph, const FuseOptions& options);

}  // namespace faultline
