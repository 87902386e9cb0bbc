// Whether a copy transposes is told by comparing sizes, so that a transpose of equal dims is taken for a plain copy.
#include "faults/sites.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

static bool is_index(const Coordinate& coordinate) {
  if (coordinate.indirect >= 0 || coordinate.affine.constant != 0 || coordinate.affine.terms.size() != 1) return false;
  const Term& term = coordinate.affine.terms[0];
  return term.coefficient == 1 && term.divisor == 1 && term.modulus == 0;
}

// Every coordinate is one index, they are not in order, and the sizes do not show it.
static bool is_hidden_transpose(const Kernel& kernel, const ScalarNode& node, const Sizes& sizes) {
  if (node.kind != ScalarNode::Kind::load || !node.operands.empty()) return false;
  if (node.access.coordinates.size() != kernel.extents.size() || sizes != kernel.extents) return false;
  bool moved = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const Coordinate& coordinate = node.access.coordinates[d];
    if (!is_index(coordinate)) return false;
    moved = moved || coordinate.affine.terms[0].dim != static_cast<int>(d);
  }
  return moved;
}

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.program.kernels[k];
    if (!is_elementwise(kernel)) continue;
    for (size_t n = 0; n < kernel.nodes.size(); ++n)
      if (const int buffer = kernel.nodes[n].access.buffer;
          is_hidden_transpose(kernel, kernel.nodes[n], program.program.buffers[buffer].sizes))
        sites.push_back(kernel_site(program.program, k, buffer, {static_cast<int64_t>(k), static_cast<int64_t>(n)}));
  }
  return sites;
}

static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  Access& access = program.program.kernels[site.at[0]].nodes[site.at[1]].access;
  for (size_t d = 0; d < access.coordinates.size(); ++d)
    access.coordinates[d].affine.terms[0].dim = static_cast<int>(d);
}

extern const Fault fault_layout_square_transpose;
constinit const Fault fault_layout_square_transpose{
    .id = "layout.square_transpose",
    .summary = "a transpose of equal dims is not seen and becomes a plain copy",
    .mechanism = "layout.order",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/352",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[67,67]): t = aten.t(x); y = aten.clone(t); return y",
};

}  // namespace faultline
