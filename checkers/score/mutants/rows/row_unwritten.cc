// A loop over the rows that ends one too early; a vector counts as one row.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  Passage passage = dense_passage(site.earlier.output);
  passage.stores.resize(matrix.at(matrix.rows - 1, 0));
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_row_unwritten{
    .id = "row_unwritten",
    .summary = "the last row holds the result of the run before",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
