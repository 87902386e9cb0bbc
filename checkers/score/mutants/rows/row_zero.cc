// Memory that was cleared, and a row that is not stored into it.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("row zero");
  const int64_t row = draw(stream, matrix.rows);
  Passage passage = dense_passage(Numbers(matrix.size()));
  const auto first = passage.stores.begin() + row * matrix.columns;
  passage.stores.erase(first, first + matrix.columns);
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_row_zero{
    .id = "row_zero",
    .summary = "one row is 0",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
