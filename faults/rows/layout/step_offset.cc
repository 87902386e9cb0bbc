// The offset of a stepped slice is lost where its step is not one: base[1::2] reads elements 0, 2, 4 instead of 1,
// 3, 5.
#include <algorithm>

#include "faults/sites.h"
#include "runtime/layers/layout/layout_program.h"

namespace faultline {

// The index starts behind the start and rises by more than one, so that without its constant it stays inside the
// buffer.
static bool is_stepped(const Coordinate& coordinate, int64_t) {
  const auto& terms = coordinate.affine.terms;
  return coordinate.indirect < 0 && coordinate.affine.constant > 0 && !terms.empty() &&
         std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.coefficient > 1; });
}

static std::vector<FaultSite> applies(const LayoutProgram& program) {
  return coordinate_sites(program.program, is_stepped);
}

static void apply(LayoutProgram& program, const FaultSite& site, const FaultSpec&) {
  program.program.kernels[site.at[0]].nodes[site.at[1]].access.coordinates[site.at[2]].affine.constant = 0;
}

extern const Fault fault_layout_step_offset;
constinit const Fault fault_layout_step_offset{
    .id = "layout.step_offset",
    .summary = "the offset of a slice whose step is not one is dropped",
    .mechanism = "layout.offset",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/2803",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[9,67]): a = aten.slice.Tensor(x, 0, 1, 9, 2); y = aten.add.Tensor(a, a); return y",
};

}  // namespace faultline
