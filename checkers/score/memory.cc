// Addresses are written out one by one: tensors here are small, and a mistake may be in any of them.
#include "checkers/score/memory.h"

#include <algorithm>

namespace faultline {

Matrix matrix_of(const Sizes& sizes) {
  Matrix matrix;
  if (!sizes.empty()) matrix.columns = sizes.back();
  matrix.rows = matrix.columns == 0 ? 0 : element_count(sizes) / matrix.columns;
  return matrix;
}

Passage dense_passage(const Numbers& earlier, int64_t offset) {
  Passage passage;
  passage.buffer = earlier;
  passage.buffer.resize(earlier.size() + static_cast<size_t>(offset));
  // Before the tensor lies the end of another that was as large.
  std::copy_backward(earlier.begin(), earlier.end(), passage.buffer.end());
  std::copy(earlier.end() - offset, earlier.end(), passage.buffer.begin());
  for (int64_t i = 0; i < std::ssize(earlier); ++i) {
    passage.stores.push_back({i, i + offset});
    passage.loads.push_back(i + offset);
  }
  return passage;
}

TileGrid tile_grid(const Matrix& matrix) {
  TileGrid grid;
  grid.height = std::min<int64_t>(8, matrix.rows);
  grid.width = std::min<int64_t>(8, matrix.columns);
  grid.down = (matrix.rows + grid.height - 1) / grid.height;
  grid.across = (matrix.columns + grid.width - 1) / grid.width;
  return grid;
}

std::vector<Passage::Store> tile_stores(const Matrix& matrix, int64_t from, int64_t to) {
  const TileGrid grid = tile_grid(matrix);
  std::vector<Passage::Store> stores;
  for (int64_t k = 0; k < grid.elements(); ++k) {
    const int64_t row = from / grid.across * grid.height + k / grid.width,
                  column = from % grid.across * grid.width + k % grid.width;
    if (row >= matrix.rows || column >= matrix.columns) continue;
    stores.push_back({static_cast<int64_t>(matrix.at(row, column)), to * grid.elements() + k});
  }
  return stores;
}

Passage tiled_passage(const Matrix& matrix, const Numbers& earlier) {
  const TileGrid grid = tile_grid(matrix);
  Passage passage;
  passage.loads.resize(matrix.size());
  for (int64_t tile = 0; tile < grid.count(); ++tile)
    for (const Passage::Store& store : tile_stores(matrix, tile, tile)) {
      passage.stores.push_back(store);
      passage.loads[static_cast<size_t>(store.element)] = store.address;
    }
  passage.buffer.resize(static_cast<size_t>(grid.count() * grid.elements()));
  for (size_t a = 0; a < passage.buffer.size(); ++a) passage.buffer[a] = earlier[a % earlier.size()];  // padding too
  for (const Passage::Store& store : passage.stores)
    passage.buffer[static_cast<size_t>(store.address)] = earlier[static_cast<size_t>(store.element)];
  return passage;
}

Numbers pass_through(const Passage& passage, const Numbers& tensor) {
  Numbers buffer = passage.buffer;
  for (const Passage::Store& store : passage.stores)
    buffer[static_cast<size_t>(store.address)] = tensor[static_cast<size_t>(store.element)];
  Numbers loaded;
  for (const int64_t address : passage.loads) loaded.push_back(buffer[static_cast<size_t>(address)]);
  return loaded;
}

}  // namespace faultline
