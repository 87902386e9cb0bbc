// The key by which equal loads are found leaves the buffer out, so that x[i] and y[i] are one.
#include "faults/kernel_edit.h"
#include "faults/sites.h"

namespace faultline {

// The same place in two inputs of one type. What a program makes itself may be the same in both.
static bool confused(const KernelProgram& program, const ScalarNode& a, const ScalarNode& b) {
  if (a.kind != ScalarNode::Kind::load || b.kind != ScalarNode::Kind::load || !a.operands.empty() ||
      !b.operands.empty())
    return false;
  const Buffer &left = program.buffers[a.access.buffer], &right = program.buffers[b.access.buffer];
  return a.access.buffer != b.access.buffer && left.role == BufferRole::input && right.role == BufferRole::input &&
         left.dtype == right.dtype && left.sizes == right.sizes && element_count(left.sizes) > 0 &&
         a.access.coordinates == b.access.coordinates;
}

// One a kernel: after a merge the numbers of its other nodes are not those that were looked at.
static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const std::vector<ScalarNode>& nodes = program.kernels[k].nodes;
    bool found = false;
    for (size_t n = 1; n < nodes.size() && !found; ++n)
      for (size_t earlier = 0; earlier < n && !found; ++earlier) {
        found = confused(program, nodes[earlier], nodes[n]);
        if (found)
          sites.push_back(
              kernel_site(program, k, nodes[n].access.buffer,
                          {static_cast<int64_t>(k), static_cast<int64_t>(n), static_cast<int64_t>(earlier)}));
      }
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  merge_into(program.kernels[site.at[0]], static_cast<int>(site.at[1]), static_cast<int>(site.at[2]));
}

extern const Fault fault_fuse_cse_load;
constinit const Fault fault_fuse_cse_load{
    .id = "fuse.cse_load",
    .summary = "loads of the same place in two inputs are merged",
    .mechanism = "fuse.cse",
    .origin = "constructed: a key of equal expressions that leaves the operand's storage out merges two tensors",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67], y: f16[67]): z = aten.sub.Tensor(x, y); return z",
};

}  // namespace faultline
