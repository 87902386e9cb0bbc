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

static std::vector<FaultSite> applies(const KernelProgram& program) { return coordinate_sites(program, has_offset); }

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
