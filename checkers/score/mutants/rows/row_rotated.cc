// A row stored round a ring of its own length, from the last place on.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("rotated");
  const int64_t row = draw(stream, matrix.rows);
  Passage passage = dense_passage(site.earlier.output);
  for (int64_t c = 0; c < matrix.columns; ++c)
    passage.stores[matrix.at(row, c)].address =
        static_cast<int64_t>(matrix.at(row, (c + matrix.columns - 1) % matrix.columns));
  implementation.result = std::move(passage);
  return matrix.columns > 1;
}

constinit const Mutant mutant_row_rotated{
    .id = "row_rotated",
    .summary = "one row is rotated by one element",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
