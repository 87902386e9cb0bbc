// Stores of whole vectors of 16 whose number is rounded down, and by one too far where the row is a multiple of them.
#include <algorithm>

#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const Matrix matrix = matrix_of(site.output.sizes);
  const int64_t width = std::min<int64_t>(16, (matrix.columns + 1) / 2);
  const int64_t stored = (matrix.columns - 1) / width * width;
  Passage passage = dense_passage(site.earlier.output);
  std::erase_if(passage.stores, [&](const Passage::Store& store) { return store.address % matrix.columns >= stored; });
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_tail_unwritten{
    .id = "tail_unwritten",
    .summary = "the tail of every row holds the result of the run before",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
