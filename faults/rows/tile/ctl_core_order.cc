// Control: core loops of a kernel change places where nothing stays in scratch, so other cores do the same shares.
// Whoever accuses this raises a false alarm.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const std::vector<size_t> loops = parallel_loops(program, k, LoopKind::core);
    if (loops.size() < 2 || program.kernels[k].reduction_core_loop >= 0 || uses_resident(program, k)) continue;
    sites.push_back(loop_site(
        program, k, {static_cast<int64_t>(k), static_cast<int64_t>(loops[0]), static_cast<int64_t>(loops[1])}));
  }
  return sites;
}

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  std::vector<Loop>& loops = program.kernels[site.at[0]].loops;
  std::swap(loops[site.at[1]], loops[site.at[2]]);
}

extern const Fault fault_tile_ctl_core_order;
constinit const Fault fault_tile_ctl_core_order{
    .id = "tile.ctl_core_order",
    .summary = "the shares of a kernel go to cores in another order, legally",
    .mechanism = "tile.dup",
    .origin = "documented hazard: none; which core does which share is free while no buffer stays in scratch",
    .targets = "any",
    .expect = Expect::benign,
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[6,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
