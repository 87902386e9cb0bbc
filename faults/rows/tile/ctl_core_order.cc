// Control: core loops of a kernel change places where nothing stays in scratch, so other cores do the same shares.
// Whoever accuses this raises a false alarm.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const auto pair = core_pair(program, k);
    if (pair && program.kernels[k].reduction_core_loop < 0 && !uses_resident(program, k)) sites.push_back(*pair);
  }
  return sites;
}

extern const Fault fault_tile_ctl_core_order;
constinit const Fault fault_tile_ctl_core_order{
    .id = "tile.ctl_core_order",
    .summary = "the shares of a kernel go to cores in another order, legally",
    .mechanism = "tile.dup",
    .origin = "constructed: a control; which core does which share is free while no buffer stays in scratch",
    .targets = "any",
    .expect = Expect::benign,
    .hook = rewrite<applies, swap_core_pair>,
    .example = "def f(x: f16[6,67]): y = aten.neg(x); return y",
};

}  // namespace faultline
