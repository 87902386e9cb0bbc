// An operand read with the stride 0 along a dim in which it differs.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  Passage passage = dense_passage(site.earlier.inputs[*input]);
  read_as(passage, matrix, {0, 1});
  implementation.operands[*input] = std::move(passage);
  return matrix.rows > 1;
}

constinit const Mutant mutant_broadcast_dim{
    .id = "broadcast_dim",
    .summary = "an operand is read as one row for all",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
