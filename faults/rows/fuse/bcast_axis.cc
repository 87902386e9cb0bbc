// A broadcast operand is laid along the other of two dims of equal size: x[i, j] + b[j] becomes x[i, j] + b[i].
#include <algorithm>

#include "faults/sites.h"

namespace faultline {

static bool is_plain(const Coordinate& coordinate) {
  const Affine& affine = coordinate.affine;
  return coordinate.indirect < 0 && affine.constant == 0 && affine.terms.size() == 1 &&
         affine.terms[0] == Term{affine.terms[0].dim, 1, 1, 0};
}

static bool uses_dim(const Access& access, int dim) {
  for (const Coordinate& coordinate : access.coordinates)
    for (const Term& term : coordinate.affine.terms)
      if (term.dim == dim || coordinate.indirect >= 0) return true;
  return false;
}

// A parallel dim along which the access is broadcast and that is as long as `dim`, or -1.
static int twin_of(const Kernel& kernel, const Access& access, int dim) {
  for (int other = 0; other < kernel.parallel; ++other)
    if (other != dim && kernel.extents[other] == kernel.extents[dim] && !uses_dim(access, other)) return other;
  return -1;
}

static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    if (kernel.kernel_class == KernelClass::contraction) continue;
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      const ScalarNode& node = kernel.nodes[n];
      if (node.kind != ScalarNode::Kind::load || !node.operands.empty()) continue;
      for (size_t c = 0; c < node.access.coordinates.size(); ++c) {
        if (!is_plain(node.access.coordinates[c])) continue;
        const int dim = node.access.coordinates[c].affine.terms[0].dim;
        const int twin = kernel.extents[dim] > 1 && dim < kernel.parallel ? twin_of(kernel, node.access, dim) : -1;
        if (twin >= 0)
          sites.push_back(kernel_site(
              program, k, node.access.buffer,
              {static_cast<int64_t>(k), static_cast<int64_t>(n), static_cast<int64_t>(c), static_cast<int64_t>(twin)}));
      }
    }
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  Coordinate& coordinate = program.kernels[site.at[0]].nodes[site.at[1]].access.coordinates[site.at[2]];
  coordinate.affine.terms[0].dim = static_cast<int>(site.at[3]);
}

extern const Fault fault_fuse_bcast_axis;
constinit const Fault fault_fuse_bcast_axis{
    .id = "fuse.bcast_axis",
    .summary = "a broadcast operand is indexed by the other of two dims of equal size",
    .mechanism = "fuse.bcast",
    .origin = "https://github.com/PaddlePaddle/CINN/pull/1170",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67,67], b: f16[67]): y = aten.add.Tensor(x, b); return y",
};

}  // namespace faultline
