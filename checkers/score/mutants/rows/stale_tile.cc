// A tile of the last operand that is not loaded again: its place on the chip holds the operand of the run before.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  PhiloxStream stream = site.stream("stale tile");
  const TileGrid grid = tile_grid(matrix);
  const int64_t tile = draw(stream, grid.count());
  Passage passage = tiled_passage(matrix, site.earlier.inputs[*input]);
  std::erase_if(passage.stores, [&](const Passage::Store& store) { return store.address / grid.elements() == tile; });
  implementation.operands[*input] = std::move(passage);
  return true;
}

constinit const Mutant mutant_stale_tile{
    .id = "stale_tile",
    .summary = "a tile of an operand is that of the run before",
    .group = "operand",
    .plant = plant,
};

}  // namespace faultline
