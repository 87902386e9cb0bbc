// The store of a last row that is lost; a vector counts as one row.
#include "checkers/score/mutants/places.h"
#include <algorithm>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  const Numbers before(site.earlier.end() - matrix.columns, site.earlier.end());
  implementation.after = [=](Numbers& result) {
    std::copy(before.begin(), before.end(), result.end() - static_cast<int64_t>(before.size()));
  };
  return true;
}

constinit const Mutant mutant_row_unwritten{
    .id = "row_unwritten",
    .summary = "the last row holds what memory held before",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
