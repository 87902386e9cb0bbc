// Where mutants stand: elements, tiles and rows of a dense tensor seen as a matrix, and the sums of a graph.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "checkers/score/mutants/mutant.h"
#include "runtime/layers/decompose/graph_builder.h"

namespace faultline {

// Row-major: the last dim across, all others down.
struct Matrix {
  int64_t rows = 1, columns = 1;
  size_t at(int64_t row, int64_t column) const { return static_cast<size_t>(row * columns + column); }
  size_t size() const { return static_cast<size_t>(rows * columns); }
};
Matrix matrix_of(const Sizes& sizes);

// Uniform in [0, n).
int64_t draw(PhiloxStream& stream, int64_t n);

// A tile of at most 8 x 8.
struct MatrixTile {
  int64_t row = 0, column = 0, height = 0, width = 0;
};
// Two different tiles of the 8 x 8 grid of one size; none where the matrix has but one.
std::optional<std::pair<MatrixTile, MatrixTile>> two_tiles(const Matrix& matrix, PhiloxStream& stream);

// The last input of floats with at least so many dims.
std::optional<size_t> float_input(const MutantSite& site, size_t rank);

// Ordinary numbers that have nothing to do with the result: what memory held before.
Numbers earlier_numbers(size_t count, DType dtype, PhiloxStream& stream);

// Sums and contractions of floats.
std::vector<int> sums_of(const PrimGraph& graph);
// One of them; none where there is none.
std::optional<int> drawn_sum(const PrimGraph& graph, PhiloxStream& stream);
// Along which the first operand of a sum is added up, and the second of a contraction.
int64_t summed_dim(const PrimGraph& graph, int sum, int operand);

// The graph with the operands of one node replaced by what `edit` makes of them with a builder.
PrimGraph with_operands(const PrimGraph& graph, int node,
                        const std::function<std::vector<int>(GraphBuilder& builder, std::vector<int> operands)>& edit);

// How many terms of n a mistake at the end of a sum concerns: one, or 32 of 4096.
int64_t last_terms(int64_t n);

}  // namespace faultline
