// Writes the kernel of one node: everything between it and the nearest buffers as one scalar expression.
#pragma once

#include <vector>

#include "runtime/layers/fuse/fuse_graph.h"

namespace faultline {

struct Emission {
  Kernel kernel;           // name empty; buffers of accesses and stores are FuseGraph nodes
  std::vector<int> nodes;  // what is written into it, sorted
  int needs_buffer = -1;   // not -1: no kernel; this node stands where no access map leads through and wants a buffer
};

Emission emit_kernel(const FuseGraph& graph, const std::vector<uint8_t>& buffers, int root);

}  // namespace faultline
