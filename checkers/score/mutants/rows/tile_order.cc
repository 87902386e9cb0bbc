// A table of the tiles' addresses with two of them exchanged.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("tile order");
  const auto tiles = two_tiles(matrix, stream);
  if (!tiles) return false;
  const int64_t size = tile_grid(matrix).elements(), change = (tiles->second - tiles->first) * size;
  Passage passage = tiled_passage(matrix, site.earlier.output);
  for (Passage::Store& store : passage.stores) {
    const int64_t tile = store.address / size;
    if (tile == tiles->first || tile == tiles->second) store.address += tile == tiles->first ? change : -change;
  }
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_tile_order{
    .id = "tile_order",
    .summary = "two tiles have changed places",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
