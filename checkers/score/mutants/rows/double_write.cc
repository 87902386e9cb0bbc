// A tile written twice, the second time at the wrong place.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("double write");
  const auto tiles = two_tiles(matrix, stream);
  if (!tiles) return false;
  implementation.after = [matrix, first = tiles->first, second = tiles->second](Numbers& result) {
    for (int64_t r = 0; r < first.height; ++r)
      for (int64_t c = 0; c < first.width; ++c)
        result[matrix.at(second.row + r, second.column + c)] = result[matrix.at(first.row + r, first.column + c)];
  };
  return true;
}

constinit const Mutant mutant_double_write{
    .id = "double_write",
    .summary = "one tile is written over another",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
