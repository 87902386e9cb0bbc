// Core loops of a kernel change places after buffers have been planned to stay in scratch. Which core has which slice
// goes by the order of the loops, so cores look for one slice of a resident buffer where another one lies.
#include "faults/tile_edit.h"

namespace faultline {

// Loads a buffer that an earlier kernel left in scratch.
static bool loads_resident(const TileProgram& program, size_t kernel) {
  for (const OperandTile& operand : program.kernels[kernel].operands)
    if (operand.node >= 0 && residency_of(program, operand.buffer) != nullptr) return true;
  return false;
}

static std::vector<FaultSite> applies(const TileProgram& program) {
  std::vector<FaultSite> sites;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const auto pair = core_pair(program, k);
    if (pair && loads_resident(program, k)) sites.push_back(*pair);
  }
  return sites;
}

extern const Fault fault_tile_core_order;
constinit const Fault fault_tile_core_order{
    .id = "tile.core_order",
    .summary = "core loops are permuted after planning, so cores read another core's slice of a resident buffer",
    .mechanism = "tile.spill",
    .origin = "https://github.com/torch-spyre/torch-spyre/pull/3378",
    .targets = "any",
    .hook = rewrite<applies, swap_core_pair>,
    .example =
        "def f(x: f16[4,6,67]): m = aten.amax(x, [2], True); d = aten.sub.Tensor(x, m); y = aten.exp(d); "
        "return y",
};

}  // namespace faultline
