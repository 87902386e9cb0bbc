// Tiles stored in another order.
#include "checkers/score/mutants/places.h"
#include <utility>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("tile order");
  const auto tiles = two_tiles(matrix, stream);
  if (!tiles) return false;
  implementation.after = [matrix, first = tiles->first, second = tiles->second](Numbers& result) {
    for (int64_t r = 0; r < first.height; ++r)
      for (int64_t c = 0; c < first.width; ++c)
        std::swap(result[matrix.at(first.row + r, first.column + c)],
                  result[matrix.at(second.row + r, second.column + c)]);
  };
  return true;
}

constinit const Mutant mutant_tile_order{
    .id = "tile_order",
    .summary = "two tiles have changed places",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
