// The way of a tensor through memory: into a buffer that holds what was there before, and out of it again. Where its
// elements go is a layout; a mistake in a layout or in a loop over it is one in these addresses, and what becomes of
// the tensor follows.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/ir/tensor.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

using Numbers = std::vector<NativeDomain::Value>;  // of one tensor, row-major

// Row-major: the last dim across, all others down.
struct Matrix {
  int64_t rows = 1, columns = 1;
  size_t at(int64_t row, int64_t column) const { return static_cast<size_t>(row * columns + column); }
  size_t size() const { return static_cast<size_t>(rows * columns); }
};
Matrix matrix_of(const Sizes& sizes);

struct Passage {
  struct Store {
    int64_t element, address;
  };
  Numbers buffer;              // what it holds at first
  std::vector<Store> stores;   // in their order
  std::vector<int64_t> loads;  // by element: its address
};

// Both are right; `earlier` is a tensor of the same sizes that went the same way before.
// Element i at address i + offset.
Passage dense_passage(const Numbers& earlier, int64_t offset = 0);
// Tiles of at most 8 x 8 in row-major order, each row-major and in one piece. Those at the end of rows and columns have
// lanes of padding.
Passage tiled_passage(const Matrix& matrix, const Numbers& earlier);

struct TileGrid {
  int64_t height = 1, width = 1;  // of a tile
  int64_t down = 1, across = 1;   // tiles
  int64_t count() const { return down * across; }
  int64_t elements() const { return height * width; }
};
TileGrid tile_grid(const Matrix& matrix);

// A store for every element of the tile with that number in `from`, to where the tile `to` is stored.
std::vector<Passage::Store> tile_stores(const Matrix& matrix, int64_t from, int64_t to);

Numbers pass_through(const Passage& passage, const Numbers& tensor);

}  // namespace faultline
