// Wrong elements on a plane of numbered places, row after row, and the plane shrunk to cells: a cell stands for a block
// of places and knows how many elements are there and how many of them are wrong. What both forms of picture draw.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/verdict.h"

namespace faultline {

struct WrongPlane {
  std::string title, across, down;  // "logical f16[65]", "dim 1", "dim 0"
  std::string note;                 // what the plane cannot show by itself; mostly empty
  int64_t width = 1, height = 1;
  int64_t total = 0;                       // places there are; those beyond in the last row are none
  int64_t unit_across = 0, unit_down = 0;  // lines are drawn at multiples of these; 0: none
  std::vector<int64_t> row_sizes;          // a row is named by its coordinates in these
  int64_t row_step = 1;                    // or by its number times this
  std::span<const uint8_t> failing;        // by element
  std::span<const int64_t> places;         // of every element; empty: its own number

  // "3", "1,0": the name of row `number`.
  std::string row_name(int64_t number) const;
};

// The logical plane has the last dim across and the others folded down; a vector is folded into rows. The device plane
// has a row of memory across. No planes of a tensor without a map or without wrong elements; they point into the
// tensor.
std::vector<WrongPlane> planes_of(const WrongTensor& tensor);

struct PlaneCell {
  bool exists = false;  // some of its places do: without elements it is padding
  int64_t elements = 0, wrong = 0;

  bool is_padding() const { return exists && elements == 0; }
  // 0: no wrong element; 1 to 4: up to a quarter of them, a half, three quarters, more.
  int shade() const;
  bool operator==(const PlaneCell&) const = default;
};

struct PlaneCells {
  int64_t columns = 0, rows = 0, step_across = 1, step_down = 1;
  std::vector<PlaneCell> cells;  // row by row

  const PlaneCell& at(int64_t row, int64_t column) const { return cells[static_cast<size_t>(row * columns + column)]; }
  bool is_reduced() const { return step_across > 1 || step_down > 1; }
};

// At most so many cells. Where a unit is drawn, cells begin with it if that costs no more than half of them.
PlaneCells shrink(const WrongPlane& plane, int64_t columns_max, int64_t rows_max);

// Whether a line belongs before cell `cell`, of which each stands for `step` places.
bool has_line(int64_t unit, int64_t step, int64_t cell);

// "dim 1 across, dim 0 down; a cell is 50 x 12"
std::string axes_text(const WrongPlane& plane, const PlaneCells& cells);

// "y: 1 of 65 elements wrong; tail of dim 0 beyond k*64: unwritten (stick 64)"
std::string picture_headline(const WrongTensor& tensor);

}  // namespace faultline
