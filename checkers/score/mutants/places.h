// Where mutants stand: elements, tiles and rows of a dense tensor seen as a matrix, and the sums of a graph.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "checkers/score/mutants/mutant.h"
#include "runtime/layers/decompose/graph_builder.h"

namespace faultline {

// Uniform in [0, n).
int64_t draw(PhiloxStream& stream, int64_t n);

// The numbers of two different tiles of the grid; none where the matrix has but one.
std::optional<std::pair<int64_t, int64_t>> two_tiles(const Matrix& matrix, PhiloxStream& stream);

// A load through strides (rows, columns) from the start of the buffer.
void read_as(Passage& passage, const Matrix& matrix, const Sizes& strides);

// The last input of floats with at least so many dims.
std::optional<size_t> float_input(const MutantSite& site, size_t rank);

// Sums and contractions of floats.
std::vector<int> sums_of(const PrimGraph& graph);
// One of them; none where there is none.
std::optional<int> drawn_sum(const PrimGraph& graph, PhiloxStream& stream);
// Along which the first operand of a sum is added up, and the second of a contraction.
int64_t summed_dim(const PrimGraph& graph, int sum, int operand);

// What the scratch memory of a node's result still holds of the run before, as an operand of the graph under `builder`.
int scratch_of(Implementation& implementation, GraphBuilder& builder, int node, const MutantSite& site);

// The graph with the operands of one node replaced by what `edit` makes of them with a builder.
PrimGraph with_operands(const PrimGraph& graph, int node,
                        const std::function<std::vector<int>(GraphBuilder& builder, std::vector<int> operands)>& edit);

// How many terms of n a mistake at the end of a sum concerns: one, or 32 of 4096.
int64_t last_terms(int64_t n);

}  // namespace faultline
