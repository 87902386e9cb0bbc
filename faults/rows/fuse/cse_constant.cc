// The key by which equal expressions are found leaves constants out, so that x + 1 and x + 2 are one.
#include <algorithm>

#include "faults/kernel_edit.h"
#include "faults/sites.h"

namespace faultline {

// The same function of the same value, and of constants that differ.
static bool confused(const Kernel& kernel, const ScalarNode& a, const ScalarNode& b) {
  if (a.kind != ScalarNode::Kind::apply || b.kind != ScalarNode::Kind::apply || a.function != b.function ||
      a.dtype != b.dtype || !is_float(a.dtype) || a.operands.size() != 2 || b.operands.size() != 2)
    return false;
  if (row(a.function).kind != FunctionKind::arithmetic) return false;
  for (const int constant : {0, 1}) {
    const ScalarNode &left = kernel.nodes[a.operands[constant]], &right = kernel.nodes[b.operands[constant]];
    if (a.operands[1 - constant] == b.operands[1 - constant] && left.kind == ScalarNode::Kind::literal &&
        right.kind == ScalarNode::Kind::literal && clearly_differ(left.literal, right.literal))
      return true;
  }
  return false;
}

// The earlier node that `n` is taken for, or -1.
static int twin_of(const Kernel& kernel, size_t n) {
  for (size_t earlier = 0; earlier < n; ++earlier)
    if (confused(kernel, kernel.nodes[earlier], kernel.nodes[n])) return static_cast<int>(earlier);
  return -1;
}

// One a kernel: after a merge the numbers of its other nodes are not those that were looked at.
static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    for (size_t n = 1; n < kernel.nodes.size(); ++n) {
      const int twin = twin_of(kernel, n);
      if (twin < 0) continue;
      sites.push_back(
          kernel_site(program, k, kernel.stores[0].buffer, {static_cast<int64_t>(k), static_cast<int64_t>(n), twin}));
      break;
    }
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  merge_into(program.kernels[site.at[0]], static_cast<int>(site.at[1]), static_cast<int>(site.at[2]));
}

extern const Fault fault_fuse_cse_constant;
constinit const Fault fault_fuse_cse_constant{
    .id = "fuse.cse_constant",
    .summary = "two operations that differ in a constant are merged",
    .mechanism = "fuse.cse",
    .origin = "constructed: a key of equal expressions that leaves an attribute out merges what differs in it",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example =
        "def f(x: f16[67]): "
        "a = aten.add.Scalar(x, 1.0); b = aten.add.Scalar(x, 3.0); y = aten.mul.Tensor(a, b); return y",
};

}  // namespace faultline
