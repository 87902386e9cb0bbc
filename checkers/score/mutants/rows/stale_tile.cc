// An 8 x 8 tile of the last operand that was not loaded again.
#include "checkers/score/mutants/places.h"
#include <algorithm>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  const std::optional<size_t> input = float_input(site, 2);
  if (!input) return false;
  const Matrix matrix = matrix_of(site.inputs[*input].sizes);
  PhiloxStream stream = site.stream("stale tile");
  const int64_t height = std::min<int64_t>(8, matrix.rows), width = std::min<int64_t>(8, matrix.columns);
  const int64_t row = draw(stream, matrix.rows / height) * height,
                column = draw(stream, matrix.columns / width) * width;
  const Numbers before = earlier_numbers(static_cast<size_t>(height * width), site.dtype, stream);
  implementation.before = [=, index = *input](std::vector<Numbers>& inputs) {
    for (int64_t r = 0; r < height; ++r)
      for (int64_t c = 0; c < width; ++c)
        inputs[index][matrix.at(row + r, column + c)] = before[static_cast<size_t>(r * width + c)];
  };
  return true;
}

constinit const Mutant mutant_stale_tile{
    .id = "stale_tile",
    .summary = "a tile of an operand is an earlier one",
    .group = "operand",
    .plant = plant,
};

}  // namespace faultline
