// The constant of a load's index is lost: x[2, i] reads row 0, x[i + 3] reads from the start.
#include <algorithm>

#include "faults/sites.h"

namespace faultline {

// The index starts behind the start and only rises, so that without its constant it stays inside the buffer.
static bool has_offset(const Coordinate& coordinate, int64_t size) {
  const auto& terms = coordinate.affine.terms;
  return coordinate.indirect < 0 && coordinate.affine.constant > 0 && size > 1 &&
         std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.coefficient > 0; });
}

static std::vector<FaultSite> applies(const KernelProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      const ScalarNode& node = kernel.nodes[n];
      if (node.kind != ScalarNode::Kind::load || !node.operands.empty()) continue;
      for (size_t c = 0; c < node.access.coordinates.size(); ++c)
        if (has_offset(node.access.coordinates[c], program.buffers[node.access.buffer].sizes[c]))
          sites.push_back(kernel_site(program, k, node.access.buffer,
                                      {static_cast<int64_t>(k), static_cast<int64_t>(n), static_cast<int64_t>(c)}));
    }
  }
  return sites;
}

static void apply(KernelProgram& program, const FaultSite& site, const FaultSpec&) {
  program.kernels[site.at[0]].nodes[site.at[1]].access.coordinates[site.at[2]].affine.constant = 0;
}

extern const Fault fault_fuse_offset_drop;
constinit const Fault fault_fuse_offset_drop{
    .id = "fuse.offset_drop",
    .summary = "the constant offset of a load's index is dropped",
    .mechanism = "fuse.epilogue",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/2906",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,67]): v = aten.select.int(x, 0, 2); y = aten.exp(v); return y",
};

}  // namespace faultline
