// Sliding windows: what convolution, pooling and folding have in common. A window never leaves its operand: the borders
// are padded first, with what the reduction over the window ignores.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runtime/layers/decompose/op.h"

namespace faultline {

// Along one dim: position p sees the elements p * stride - low + t * dilation, t in [0, taps).
struct WindowDim {
  int64_t size = 0;  // of the operand
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t low = 0;  // elements of padding before the first
  int64_t positions = 0;

  int64_t reach() const { return (taps - 1) * dilation + 1; }
  // From the first element of the first window to the last of the last.
  int64_t covered() const { return (positions - 1) * stride + reach(); }
};

// The dims from `first` on, one by one, become (position, tap).
int windows_of(GraphBuilder& builder, int x, int first, std::span<const WindowDim> dims, const Literal& fill);

// Along `dim`, element i moves to low + i * stride of `length` or a little more; everything else is `fill`.
int spread_out(GraphBuilder& builder, int x, int dim, int64_t stride, int64_t low, int64_t length, const Literal& fill);

// The other direction of windows_of: for every element of the operand (`size` of them) the positions that see it. The
// dims from `first` on hold positions; each becomes (element, tap) where tap t stands for taps - 1 - t of the window,
// and what no window sees there is `fill`.
int seen_from(GraphBuilder& builder, int x, int first, std::span<const WindowDim> dims, const Literal& fill);

// The dim numbers first, first + 2, ...: the positions of `count` windows; with first + 1 their taps.
std::vector<int64_t> every_second(int first, size_t count);

// An argument that gives one number for each of `rank` dims, or one for all; `absent` where it is missing or empty.
std::vector<int64_t> for_each_dim(const BoundCall& call, std::string_view argument, size_t rank,
                                  std::vector<int64_t> absent = {});

Literal zero_literal(DType dtype);

}  // namespace faultline
