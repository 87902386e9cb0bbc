// An operand of R rows and C columns, read as if stored column by column.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  implementation.before = [=, index = *input](std::vector<Numbers>& inputs) {
    const Numbers stored = inputs[index];
    for (int64_t r = 0; r < matrix.rows; ++r)
      for (int64_t c = 0; c < matrix.columns; ++c)
        inputs[index][matrix.at(r, c)] = stored[static_cast<size_t>(c * matrix.rows + r)];
  };
  return matrix.rows > 1 && matrix.columns > 1;
}

constinit const Mutant mutant_stride_swapped{
    .id = "stride_swapped",
    .summary = "an operand is read with its strides swapped",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
