// Elements of a dim chosen by numbers that are known when the graph is built: borders, nearest neighbours.
#pragma once

#include <span>
#include <vector>

#include "runtime/layers/decompose/graph_builder.h"

namespace faultline {

// Element i of the result's `dim` is element table[i] of the node's. Movement where the table has a pattern (steps,
// one element again and again, every element as often), else a gather.
int taken(GraphBuilder& builder, int node, int dim, std::span<const int64_t> table);

// The numbers as a vector of i64: (i * factor + start) / divisor where that gives them, else one by one.
int number_vector(GraphBuilder& builder, std::span<const int64_t> table);

}  // namespace faultline
