// An operand of R rows and C columns, read as if stored column by column.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  Passage passage = dense_passage(site.earlier.inputs[*input]);
  read_as(passage, matrix, {1, matrix.rows});
  implementation.operands[*input] = std::move(passage);
  return matrix.rows > 1 && matrix.columns > 1;
}

constinit const Mutant mutant_stride_swapped{
    .id = "stride_swapped",
    .summary = "an operand is read with its strides swapped",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
