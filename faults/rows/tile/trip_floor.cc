// The trip count of the stick loop is floor(n / stick): the loop nest never visits the partly filled last stick.
#include "faults/sites.h"
#include "runtime/layers/tile/tile_program.h"

namespace faultline {

// Loops over whole sticks of the lane dim: their step is the stick and the dim's size is no multiple of it.
static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const KernelLayout& layout = program.layout.kernels[k];
    const Kernel& kernel = program.layout.program.kernels[k];
    if (!is_elementwise(kernel) || layout.lane_dim >= kernel.parallel) continue;
    for (size_t i = 0; i < program.kernels[k].loops.size(); ++i) {
      const Loop& loop = program.kernels[k].loops[i];
      if (loop.dim == layout.lane_dim && loop.step > 1 && kernel.extents[loop.dim] % loop.step != 0 &&
          loop.extent == kernel.extents[loop.dim] / loop.step + 1)
        sites.push_back(kernel_site(program.layout.program, k, kernel.stores[0].buffer,
                                    {static_cast<int64_t>(k), static_cast<int64_t>(i)}));
    }
  }
  return sites;
}

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  Loop& loop = program.kernels[site.at[0]].loops[site.at[1]];
  loop.extent = program.layout.program.kernels[site.at[0]].extents[loop.dim] / loop.step;
}

extern const Fault fault_tile_trip_floor;
constinit const Fault fault_tile_trip_floor{
    .id = "tile.trip_floor",
    .summary = "the loop over sticks makes floor(n / stick) trips",
    .mechanism = "tile.tail_tile",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/524",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def clone65(x: f16[65]): y = aten.clone(x); return y",
};

}  // namespace faultline
