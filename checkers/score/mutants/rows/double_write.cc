// A tile that is stored a second time, at the address of another.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("double write");
  const auto tiles = two_tiles(matrix, stream);
  if (!tiles) return false;
  Passage passage = tiled_passage(matrix, site.earlier.output);
  const auto again = tile_stores(matrix, tiles->first, tiles->second);
  passage.stores.insert(passage.stores.end(), again.begin(), again.end());
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_double_write{
    .id = "double_write",
    .summary = "one tile is written over another",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
