// Pooling geometry: regular windows, and those that divide a tensor as evenly as it goes.
#pragma once

#include "runtime/layers/decompose/windows.h"

namespace faultline {

// What a pooling call says of its last `rank` dims. `sizes` are the operand's.
std::vector<WindowDim> pool_dims(const BoundCall& call, const Sizes& sizes, size_t rank);

// The leading dims, then the positions; and how eager lays that out.
Sizes pooled_sizes(const TensorType& type, std::span<const WindowDim> dims);
Sizes pooled_strides(const TensorType& type, const Sizes& sizes);
// What the sum of every window is divided by, to be broadcast against the positions.
int pool_divisor(Builder& builder, const BoundCall& call, std::span<const WindowDim> dims, DType dtype);

// Windows whose bounds follow from the sizes alone: result i of `results` sees [i * size / results, (i + 1) * size /
// results), rounded outwards. `dim` becomes (result, tap); taps beyond the end of a window are 0.
int adaptive_windows(GraphBuilder& builder, int x, int dim, int64_t results);
// How many elements each result sees, as a vector of the dtype.
int adaptive_counts(GraphBuilder& builder, int64_t size, int64_t results, DType dtype);

// A vector over result dim `dim` of a tensor of `rank` dims.
int along_dim(GraphBuilder& builder, int vector, int rank, int dim);

}  // namespace faultline
