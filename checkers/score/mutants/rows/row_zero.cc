// A row that was cleared and never written.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("row zero");
  const int64_t row = draw(stream, matrix.rows);
  implementation.after = [=](Numbers& result) {
    for (int64_t c = 0; c < matrix.columns; ++c) result[matrix.at(row, c)].real = 0;
  };
  return true;
}

constinit const Mutant mutant_row_zero{
    .id = "row_zero",
    .summary = "one row is 0",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
