// Layer 3: from prims to kernels (kernel.h says what the result promises).
//
// Method: rewrite the graph (fuse_graph.h: folding, CSE, DCE), choose which nodes get a buffer of their own
// (grouping.h), and emit one kernel for each of these, writing everything in between as one scalar expression (emit.h).
// Movement between a buffer and its use becomes the access map of a load; where no quasi-affine map exists, the node in
// the way gets a buffer as well.
#pragma once

#include <vector>

#include "runtime/ir/prim.h"
#include "runtime/layers/finding.h"
#include "runtime/layers/fuse/kernel.h"

namespace faultline {

struct FuseOptions {
  bool fusion = true;    // off: every node but literals gets a kernel of its own
  bool epilogue = true;  // pointwise consumers join the kernel of the reduction or contraction they read
  bool fold = true;      // constants computed from literals, where the value is exact in every domain
  bool cse = true;
  bool dce = true;
  int node_budget = 48;  // pointwise nodes a kernel
  int cheap_cost = 3;    // a node of several kernels is computed again in each up to this cost (grouping.cc)
};

KernelProgram fuse(const PrimGraph& graph, const FuseOptions& options = {});

// Every broken promise of kernel.h; empty for the output of fuse().
std::vector<Finding> verify_fuse(const PrimGraph& graph, const KernelProgram& program);

}  // namespace faultline
