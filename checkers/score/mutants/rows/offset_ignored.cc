// A view that starts one row into its storage and is read from the start of it.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  Passage passage = dense_passage(site.earlier.inputs[*input], matrix.columns);
  read_as(passage, matrix, {matrix.columns, 1});  // without the offset
  implementation.operands[*input] = std::move(passage);
  return true;
}

constinit const Mutant mutant_offset_ignored{
    .id = "offset_ignored",
    .summary = "an operand is read from one row before",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
