// Every core takes the first core's share: the slice of a core does not depend on its number.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) { return loop_sites(program, LoopKind::core); }

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  program.kernels[site.at[0]].loops[site.at[1]].step = 0;
}

extern const Fault fault_tile_core_dup;
constinit const Fault fault_tile_core_dup{
    .id = "tile.core_dup",
    .summary = "every core works on the first core's share",
    .mechanism = "tile.dup",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/1450",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[6,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
