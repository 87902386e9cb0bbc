// Two columns that are stored at each other's place.
#include "checkers/score/mutants/places.h"
#include <utility>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("columns");
  if (matrix.columns < 2) return false;
  const int64_t first = draw(stream, matrix.columns),
                second = (first + 1 + draw(stream, matrix.columns - 1)) % matrix.columns;
  implementation.after = [=](Numbers& result) {
    for (int64_t r = 0; r < matrix.rows; ++r) std::swap(result[matrix.at(r, first)], result[matrix.at(r, second)]);
  };
  return true;
}

constinit const Mutant mutant_columns_swapped{
    .id = "columns_swapped",
    .summary = "two columns have changed places",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
