// A view whose offset is lost: every row of an operand is the one before, the first what stood there.
#include "checkers/score/mutants/places.h"
#include <algorithm>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  PhiloxStream stream = site.stream("offset");
  const Numbers before = earlier_numbers(static_cast<size_t>(matrix.columns), site.dtype, stream);
  implementation.before = [=, index = *input](std::vector<Numbers>& inputs) {
    Numbers& mine = inputs[index];
    std::copy_backward(mine.begin(), mine.end() - matrix.columns, mine.end());
    std::copy(before.begin(), before.end(), mine.begin());
  };
  return true;
}

constinit const Mutant mutant_offset_ignored{
    .id = "offset_ignored",
    .summary = "an operand is read from one row before",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
