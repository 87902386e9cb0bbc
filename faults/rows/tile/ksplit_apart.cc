// A sum is divided over cores and never joined: every core stores its own part as if it were the whole.
#include "faults/tile_edit.h"

namespace faultline {

static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k)
    if (program.kernels[k].reduction_core_loop >= 0) sites.push_back(loop_site(program, k, {static_cast<int64_t>(k)}));
  return sites;
}

static void apply(TileProgram& program, const FaultSite& site, const FaultSpec&) {
  program.kernels[site.at[0]].reduction_core_loop = -1;
}

extern const Fault fault_tile_ksplit_apart;
constinit const Fault fault_tile_ksplit_apart{
    .id = "tile.ksplit_apart",
    .summary = "the parts of a sum that is divided over cores are not joined",
    .mechanism = "tile.ksplit",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/3106",
    .targets = "any",
    .hook = rewrite<applies, apply>,
    .example = "def f(x: f16[5,256], w: f16[256,7]): y = aten.mm(x, w); return y",
};

}  // namespace faultline
