// Two operands of a kernel get the same bytes of scratch: the one that is copied in last overwrites the other.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const std::vector<size_t> loads = copied_loads(program, k);
    if (loads.size() < 2) continue;
    sites.push_back(
        kernel_site(program.layout.program, k, program.kernels[k].operands[loads[1]].buffer,
                    {static_cast<int64_t>(k), static_cast<int64_t>(loads[0]), static_cast<int64_t>(loads[1])}));
  }
  return sites;
}

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  std::vector<OperandTile>& operands = program.kernels[site.at[0]].operands;
  operands[site.at[2]].address = operands[site.at[1]].address;
}

extern const Fault fault_tile_lx_overlap;
constinit const Fault fault_tile_lx_overlap{
    .id = "tile.lx_overlap",
    .summary = "two operands of a kernel share bytes of scratch memory",
    .mechanism = "tile.overlap",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/3222",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(a: f16[67], b: f16[67]): y = aten.add.Tensor(a, b); return y",
};

}  // namespace faultline
