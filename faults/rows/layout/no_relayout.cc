// A kernel reads its operand in the layout in which it was stored, though its lanes run along another dim: the
// conversion that the pass had put between them is passed over.
#include "faults/sites.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

// The relayout kernel that fills a buffer from one plain load, or -1.
static int relayout_of(const LayoutProgram& program, int buffer) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (!program.kernels[k].relayout) continue;
    const Kernel& kernel = program.program.kernels[k];
    if (kernel.stores[0].buffer != buffer || kernel.nodes.size() != 1) continue;
    return static_cast<int>(k);
  }
  return -1;
}

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.program.kernels[k];
    for (size_t n = 0; n < kernel.nodes.size(); ++n) {
      if (kernel.nodes[n].kind != ScalarNode::Kind::load) continue;
      const int relayout = relayout_of(program, kernel.nodes[n].access.buffer);
      if (relayout >= 0)
        sites.push_back(kernel_site(program.program, k, kernel.nodes[n].access.buffer,
                                    {static_cast<int64_t>(k), static_cast<int64_t>(n), relayout}));
    }
  }
  return sites;
}

// The load of a converted buffer is the identity on the dims that it depends on; these are the conversion's own dims.
static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  Access& access = program.program.kernels[site.at[0]].nodes[site.at[1]].access;
  Access source = program.program.kernels[site.at[2]].nodes[0].access;
  for (Coordinate& coordinate : source.coordinates)
    for (Term& term : coordinate.affine.terms) term.dim = access.coordinates[term.dim].affine.terms[0].dim;
  access = std::move(source);
}

extern const Fault fault_layout_no_relayout;
constinit const Fault fault_layout_no_relayout{
    .id = "layout.no_relayout",
    .summary = "a kernel reads an operand in the layout of its producer, without the conversion that it needs",
    .mechanism = "layout.no_relayout",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1813",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[72,91], w: f16[91,72]): t = aten.t(x); y = aten.add.Tensor(t, w); return y",
};

}  // namespace faultline
