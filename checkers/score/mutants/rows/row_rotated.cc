// A row stored one element further on.
#include "checkers/score/mutants/places.h"
#include <algorithm>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("rotated");
  const int64_t row = draw(stream, matrix.rows);
  implementation.after = [=](Numbers& result) {
    const auto first = result.begin() + row * matrix.columns;
    std::rotate(first, first + 1, first + matrix.columns);
  };
  return matrix.columns > 1;
}

constinit const Mutant mutant_row_rotated{
    .id = "row_rotated",
    .summary = "one row is rotated by one element",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
