// A dim is divided into more shares than there are cores told to work on it: the last share is nobody's.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) { return loop_sites(program, LoopKind::core); }

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  --program.kernels[site.at[0]].loops[site.at[1]].extent;
}

extern const Fault fault_tile_core_gap;
constinit const Fault fault_tile_core_gap{
    .id = "tile.core_gap",
    .summary = "the last core's share of a dim is left out",
    .mechanism = "tile.gap",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/3804",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[6,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
