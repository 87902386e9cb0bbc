// The falling term of an index is dropped while its constant stays: a flipped dim shows its last element everywhere.
#include "faults/sites.h"

namespace faultline {

static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      const ScalarNode& node = kernel.nodes[n];
      if (node.kind != ScalarNode::Kind::load || !node.operands.empty()) continue;
      for (size_t c = 0; c < node.access.coordinates.size(); ++c) {
        const std::vector<Term>& terms = node.access.coordinates[c].affine.terms;
        for (size_t t = 0; t < terms.size(); ++t)
          if (terms[t].coefficient < 0 && terms[t].divisor < kernel.extents[terms[t].dim])
            sites.push_back(kernel_site(
                program, k, node.access.buffer,
                {static_cast<int64_t>(k), static_cast<int64_t>(n), static_cast<int64_t>(c), static_cast<int64_t>(t)}));
      }
    }
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  std::vector<Term>& terms = program.kernels[site.at[0]].nodes[site.at[1]].access.coordinates[site.at[2]].affine.terms;
  terms.erase(terms.begin() + site.at[3]);
}

extern const Fault fault_fuse_neg_stride;
constinit const Fault fault_fuse_neg_stride{
    .id = "fuse.neg_stride",
    .summary = "the falling term of a load's index is dropped, its constant kept",
    .mechanism = "fuse.epilogue",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/3563",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): y = aten.flip(x, [0]); z = aten.exp(y); return z",
};

}  // namespace faultline
