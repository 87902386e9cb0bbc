// An operand broadcast along a dim in which it differs.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  implementation.before = [=, index = *input](std::vector<Numbers>& inputs) {
    for (int64_t r = 1; r < matrix.rows; ++r)
      for (int64_t c = 0; c < matrix.columns; ++c) inputs[index][matrix.at(r, c)] = inputs[index][matrix.at(0, c)];
  };
  return matrix.rows > 1;
}

constinit const Mutant mutant_broadcast_dim{
    .id = "broadcast_dim",
    .summary = "an operand is read as one row for all",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
