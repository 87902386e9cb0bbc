// The life of a buffer that stays in scratch ends one kernel too early, and the planner gives its bytes to an operand
// of a kernel that still reads it.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t r = 0; r < program.residencies.size(); ++r) {
    const auto last = static_cast<size_t>(program.residencies[r].last);
    const std::vector<size_t> loads = copied_loads(program, last);
    if (loads.empty()) continue;
    sites.push_back(kernel_site(program.layout.program, last, program.residencies[r].buffer,
                                {static_cast<int64_t>(r), static_cast<int64_t>(loads[0])}));
  }
  return sites;
}

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  Residency& residency = program.residencies[site.at[0]];
  program.kernels[residency.last].operands[site.at[1]].address = residency.address;
  --residency.last;
}

extern const Fault fault_tile_early_free;
constinit const Fault fault_tile_early_free{
    .id = "tile.early_free",
    .summary = "a resident buffer's bytes are given away one kernel before its last use",
    .mechanism = "tile.early_free",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/3777",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,33]): m = aten.amax(x, [1], True); y = aten.sub.Tensor(x, m); return y",
};

}  // namespace faultline
