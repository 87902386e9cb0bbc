// A dim is divided into more shares than there are cores told to work on it: the last share is nobody's.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k)
    for (const size_t l : parallel_loops(program, k, LoopKind::core))
      sites.push_back(loop_site(program, k, {static_cast<int64_t>(k), static_cast<int64_t>(l)}));
  return sites;
}

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  --program.kernels[site.at[0]].loops[site.at[1]].extent;
}

extern const Fault fault_tile_core_gap;
constinit const Fault fault_tile_core_gap{
    .id = "tile.core_gap",
    .summary = "the last core's share of a dim is left out",
    .mechanism = "tile.gap",
    .origin = "documented hazard: shares counted by a division that rounds down leave a hole at the end",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[6,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
