// A table of the columns' addresses with two of them exchanged.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("columns");
  if (matrix.columns < 2) return false;
  const int64_t first = draw(stream, matrix.columns),
                second = (first + 1 + draw(stream, matrix.columns - 1)) % matrix.columns;
  Passage passage = dense_passage(site.earlier.output);
  for (int64_t r = 0; r < matrix.rows; ++r)
    std::swap(passage.stores[matrix.at(r, first)].address, passage.stores[matrix.at(r, second)].address);
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_columns_swapped{
    .id = "columns_swapped",
    .summary = "two columns have changed places",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
