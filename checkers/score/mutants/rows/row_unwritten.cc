// The store of a last row that is lost; a vector counts as one row.
#include "checkers/score/mutants/places.h"
#include <algorithm>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  PhiloxStream stream = site.stream("row unwritten");
  const Numbers before = earlier_numbers(static_cast<size_t>(matrix.columns), site.dtype, stream);
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
