// Where a device keeps the elements of a tensor, as a map of its memory: rows of positions, an element or padding in
// each. What pictures of wrong elements are drawn from (reports/picture.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace faultline {

struct DevicePlacement {
  std::vector<int64_t> positions;  // of every element in row-major logical order, counted from the tensor's first
  int64_t held = 0;                // positions that the layout has; an element at or beyond it lies outside
  int64_t row = 1;                 // positions that the innermost device dim has
  int64_t rows_together = 1;       // and rows that the next one has
  std::string row_name;            // "stick"; empty: a row is no unit that the target names
  std::string layout;              // as the artefact prints it
};

}  // namespace faultline
