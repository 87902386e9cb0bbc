// Windows are pad and window prims dim by dim. To spread elements out, each becomes the first of a row of fillers, and
// the rows are joined.
#include "runtime/layers/decompose/windows.h"

#include <fmt/format.h>

#include "runtime/base/error.h"

namespace faultline {

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

static int padded_along(GraphBuilder& builder, int x, int dim, int64_t low, int64_t length, const Literal& fill) {
  Sizes to = builder.sizes(x);
  std::vector<int64_t> lows(to.size(), 0);
  to[dim] = length;
  lows[dim] = low;
  return builder.pad(x, lows, to, fill);
}

// All dims are padded at once: one choice between element and filler.
int windows_of(GraphBuilder& builder, int x, int first, std::span<const WindowDim> dims, const Literal& fill) {
  Sizes to = builder.sizes(x);
  std::vector<int64_t> lows(to.size(), 0);
  for (size_t k = 0; k < dims.size(); ++k) {
    FAULTLINE_CHECK(dims[k].positions >= 0 && dims[k].taps > 0, fmt::format("window {}", k));
    to[first + k] = dims[k].positions == 0 ? 0 : dims[k].covered();
    lows[first + k] = dims[k].low;
  }
  x = builder.pad(x, lows, to, fill);
  for (size_t k = 0; k < dims.size(); ++k) {
    const WindowDim& dim = dims[k];
    const int at = first + 2 * static_cast<int>(k);
    x = builder.window(x, at, dim.positions, dim.taps, dim.stride, dim.dilation);
  }
  return x;
}

int spread_out(GraphBuilder& builder, int x, int dim, int64_t stride, int64_t low, int64_t length,
               const Literal& fill) {
  if (stride == 1) return padded_along(builder, x, dim, low, length, fill);
  Sizes rows = builder.sizes(x);
  rows.insert(rows.begin() + dim + 1, 1);
  const int apart = builder.reshape(x, rows);
  std::vector<int64_t> lows(rows.size(), 0);
  lows[dim] = floor_divide(low, stride);
  lows[dim + 1] = low - lows[dim] * stride;
  rows[dim] = (length + stride - 1) / stride;
  rows[dim + 1] = stride;
  Sizes joined = rows;
  joined[dim] *= stride;
  joined.erase(joined.begin() + dim + 1);
  return builder.reshape(builder.pad(apart, lows, rows, fill), joined);
}

// Element e is seen by position p at tap t when e = p * stride - low + t * dilation. In the spread-out positions
// p * stride that is e + low - t * dilation: a window again, over its taps in reverse.
int seen_from(GraphBuilder& builder, int x, int first, std::span<const WindowDim> dims, const Literal& fill) {
  for (size_t k = 0; k < dims.size(); ++k) {
    const WindowDim& dim = dims[k];
    const int at = first + 2 * static_cast<int>(k);
    const int64_t length = dim.size == 0 ? 0 : dim.size + dim.reach() - 1;
    x = spread_out(builder, x, at, dim.stride, dim.reach() - 1 - dim.low, length, fill);
    x = builder.window(x, at, dim.size, dim.taps, 1, dim.dilation);
  }
  return x;
}

std::vector<int64_t> every_second(int first, size_t count) {
  std::vector<int64_t> dims;
  for (size_t k = 0; k < count; ++k) dims.push_back(first + 2 * static_cast<int64_t>(k));
  return dims;
}

std::vector<int64_t> for_each_dim(const BoundCall& call, std::string_view argument, size_t rank,
                                  std::vector<int64_t> absent) {
  std::vector<int64_t> numbers = call.given(argument) ? call.integers(argument) : std::vector<int64_t>{};
  if (numbers.empty()) numbers = std::move(absent);
  if (numbers.size() == 1) numbers.resize(rank, numbers[0]);
  if (numbers.size() != rank) call.reject(fmt::format("'{}' does not give a number for each dim", argument));
  return numbers;
}

Literal zero_literal(DType dtype) { return is_float(dtype) ? real_literal(0, dtype) : integer_literal(0, dtype); }

}  // namespace faultline
