// A tail of every row that no store covers.
#include "checkers/score/mutants/places.h"
#include <algorithm>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  const int64_t width = std::min<int64_t>(16, (matrix.columns + 1) / 2);
  const Numbers before = site.earlier;
  implementation.after = [=](Numbers& result) {
    for (int64_t r = 0; r < matrix.rows; ++r)
      for (int64_t c = matrix.columns - width; c < matrix.columns; ++c)
        result[matrix.at(r, c)] = before[matrix.at(r, c)];
  };
  return true;
}

constinit const Mutant mutant_tail_unwritten{
    .id = "tail_unwritten",
    .summary = "the last 16 columns hold what memory held before",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
