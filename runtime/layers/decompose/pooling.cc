// Windows that differ in length are read by an index that is worked out from the result's number, then masked.
#include "runtime/layers/decompose/pooling.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/layers/decompose/strides.h"

namespace faultline {

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The last window may reach past the padded operand when `ceil_mode` says so, but not begin there.
static int64_t position_count(const WindowDim& dim, bool ceil_mode) {
  const int64_t room = dim.size + 2 * dim.low - dim.reach() + (ceil_mode ? dim.stride - 1 : 0);
  int64_t positions = floor_divide(room, dim.stride) + 1;
  if (ceil_mode && (positions - 1) * dim.stride >= dim.size + dim.low) --positions;
  return positions;
}

std::vector<WindowDim> pool_dims(const BoundCall& call, const Sizes& sizes, size_t rank) {
  if (sizes.size() < rank) call.reject("a tensor of fewer dims than the kernel");
  const std::vector<int64_t> kernel = for_each_dim(call, "kernel_size", rank),
                             stride = for_each_dim(call, "stride", rank, kernel),
                             padding = for_each_dim(call, "padding", rank, {0}),
                             dilation = call.has("dilation") ? for_each_dim(call, "dilation", rank, {1})
                                                             : std::vector<int64_t>(rank, 1);
  const bool ceil_mode = call.boolean("ceil_mode");
  std::vector<WindowDim> dims;
  for (size_t k = 0; k < rank; ++k) {
    WindowDim dim{sizes[sizes.size() - rank + k], kernel[k], stride[k], dilation[k], padding[k], 0};
    if (dim.taps < 1 || dim.stride < 1 || dim.dilation < 1) call.reject("a kernel, stride or dilation below 1");
    if (dim.low < 0 || 2 * dim.low > dim.reach()) call.reject("padding of more than half the kernel");
    dim.positions = position_count(dim, ceil_mode);
    if (dim.positions < 1) call.reject("a result without elements");
    dims.push_back(dim);
  }
  return dims;
}

// [leading dims, positions...]
Sizes pooled_sizes(const TensorType& type, std::span<const WindowDim> dims) {
  Sizes sizes(type.sizes.begin(), type.sizes.end() - std::ssize(dims));
  for (const WindowDim& dim : dims) sizes.push_back(dim.positions);
  return sizes;
}

Sizes pooled_strides(const TensorType& type, const Sizes& sizes) {
  return sizes.size() > 3 ? suggested_strides(type, sizes) : contiguous_strides(sizes);
}

// How many elements of each window count along one dim: padding counts if it is said to, but not what lies beyond it.
static int counts_along(Builder& builder, const WindowDim& dim, bool padding_counts, DType dtype) {
  const Sizes sizes = {dim.positions};
  const int begin = builder.iota(sizes, 0, -dim.low, dim.stride);
  const int64_t limit = dim.size + (padding_counts ? dim.low : 0);
  const int end = builder.with(Function::minimum, builder.with(Function::add, begin, static_cast<double>(dim.taps)),
                               static_cast<double>(limit));
  const int first = padding_counts ? begin : builder.with(Function::maximum, begin, 0);
  return builder.cast(builder.apply(Function::sub, {end, first}), dtype);
}

static bool counts_are_all(const WindowDim& dim, bool padding_counts) {
  return dim.covered() <= dim.size + (padding_counts ? 2 : 1) * dim.low && (padding_counts || dim.low == 0);
}

int pool_divisor(Builder& builder, const BoundCall& call, std::span<const WindowDim> dims, DType dtype) {
  if (call.given("divisor_override")) {
    if (call.integer("divisor_override") == 0) call.reject("a divisor of 0");
    return builder.number(static_cast<double>(call.integer("divisor_override")), dtype);
  }
  const bool padding_counts = call.boolean("count_include_pad");
  int64_t fixed = 1;
  int product = -1;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (counts_are_all(dims[k], padding_counts)) {
      fixed *= dims[k].taps;
      continue;
    }
    const int rank = static_cast<int>(dims.size());
    const int counts = counts_along(builder, dims[k], padding_counts, DType::i64);
    const int along = along_dim(builder, counts, rank, static_cast<int>(k));
    product = product < 0 ? along : builder.apply(Function::mul, {product, along});
  }
  if (product < 0) return builder.number(static_cast<double>(fixed), dtype);
  if (fixed != 1) product = builder.with(Function::mul, product, static_cast<double>(fixed));
  return builder.cast(product, dtype);
}

namespace {

struct Bounds {
  int begin, end;  // vectors of i64
};

Bounds adaptive_bounds(GraphBuilder& builder, int64_t size, int64_t results) {
  const double number = static_cast<double>(results);
  const int begin = builder.with(Function::div, builder.iota({results}, 0, 0, size), number);
  const int end = builder.with(Function::div, builder.iota({results}, 0, size + results - 1, size), number);
  return {begin, end};
}

int64_t longest(int64_t size, int64_t results) {
  int64_t most = 1;
  for (int64_t i = 0; i < results; ++i)
    most = std::max(most, ((i + 1) * size + results - 1) / results - i * size / results);
  return most;
}

}  // namespace

int adaptive_windows(GraphBuilder& builder, int x, int dim, int64_t results) {
  const int64_t size = builder.size(x, dim);
  if (results == 0 || size % results == 0) {
    const int64_t length = results == 0 ? 1 : size / results;
    Sizes apart = builder.sizes(x);
    apart[dim] = results;
    apart.insert(apart.begin() + dim + 1, length);
    return builder.reshape(results == 0 ? builder.slice(x, dim, 0, 0) : x, apart);
  }
  const int64_t taps = longest(size, results);
  const Bounds bounds = adaptive_bounds(builder, size, results);
  const Sizes table = {results, taps};
  const int begin = builder.broadcast(bounds.begin, table, {0}), end = builder.broadcast(bounds.end, table, {0});
  const int index = builder.apply(Function::add, {begin, builder.iota(table, 1)});
  const int within = builder.apply(Function::less, {index, end});
  const int windows = builder.gather(x, builder.with(Function::minimum, index, static_cast<double>(size - 1)), dim);
  const int mask = builder.broadcast(within, builder.sizes(windows), {dim, dim + 1});
  return builder.select(mask, windows, builder.number(0, builder.dtype(x)));
}

int adaptive_counts(GraphBuilder& builder, int64_t size, int64_t results, DType dtype) {
  if (results == 0 || size % results == 0)
    return builder.number(static_cast<double>(results == 0 ? 1 : size / results), dtype, {results});
  const Bounds bounds = adaptive_bounds(builder, size, results);
  return builder.cast(builder.apply(Function::sub, {bounds.end, bounds.begin}), dtype);
}

int along_dim(GraphBuilder& builder, int vector, int rank, int dim) {
  Sizes sizes(rank, 1);
  sizes[dim] = builder.size(vector, 0);
  return builder.reshape(vector, sizes);
}

}  // namespace faultline
