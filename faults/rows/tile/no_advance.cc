// The address of a core's tiles does not advance: every tile of a core is its first one, and nobody writes the others.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) { return loop_sites(program, LoopKind::sequential); }

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  program.kernels[site.at[0]].loops[site.at[1]].step = 0;
}

extern const Fault fault_tile_no_advance;
constinit const Fault fault_tile_no_advance{
    .id = "tile.no_advance",
    .summary = "the loop over a core's tiles does not advance: each is the first one again",
    .mechanism = "tile.dup",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/3381",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(a: f16[3181,2], b: f16[3181,2], c: f16[3181,2]): y = aten.addcmul(a, b, c); return y",
};

}  // namespace faultline
