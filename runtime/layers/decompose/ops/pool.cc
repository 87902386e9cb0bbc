// Pooling: windows over the last dims, reduced. Averages divide the sum by the number of elements that count.
#include <algorithm>

#include "runtime/layers/decompose/pooling.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

template <size_t rank>
Lowered lower_average(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const std::vector<WindowDim> dims = pool_dims(call, self.type.sizes, rank);
  const Sizes sizes = pooled_sizes(self.type, dims);
  const int first = rank_of(self) - static_cast<int>(rank);
  const int windows = windows_of(builder, builder.read(self), first, dims, zero_literal(self.type.dtype));
  const int sum = builder.reduce(Reduction::sum, windows, every_second(first + 1, rank), false);
  const int node = builder.apply(Function::div, {sum, pool_divisor(builder, call, dims, self.type.dtype)});
  return {builder.fresh(node, rank == 3 ? contiguous_strides(sizes) : pooled_strides(self.type, sizes))};
}

// Where each tap of each position lies, or the nearest tap of its window that lies inside, as [positions, taps].
int places_inside(Builder& builder, const BoundCall& call, const WindowDim& dim) {
  for (int64_t position = 0; position < dim.positions; ++position) {
    const int64_t begin = position * dim.stride - dim.low, skipped = std::max<int64_t>(-begin, 0);
    if (begin + (skipped + dim.dilation - 1) / dim.dilation * dim.dilation >= dim.size)
      call.reject("a window of i64 that sees no element");
  }
  const Sizes table = {dim.positions, dim.taps};
  const double dilation = static_cast<double>(dim.dilation);
  const auto rounded_down = [&](int number) {
    return builder.with(Function::mul, builder.with(Function::div, number, dilation), dilation);
  };
  const int begin = builder.iota(table, 0, -dim.low, dim.stride);
  const int place = builder.apply(Function::add, {begin, builder.iota(table, 1, 0, dim.dilation)});
  const int skipped = builder.with(Function::maximum, builder.apply(Function::neg, {begin}), 0);
  const int first =
      builder.apply(Function::add, {begin, rounded_down(builder.with(Function::add, skipped, dilation - 1))});
  const int room = builder.apply(Function::sub, {builder.number(static_cast<double>(dim.size - 1), DType::i64), begin});
  const int last = builder.apply(Function::add, {begin, rounded_down(room)});
  return builder.apply(Function::minimum, {builder.apply(Function::maximum, {place, first}), last});
}

// A filler may be stored, and the least i64 does not survive where a machine stores i64 in fewer bytes: taps outside
// see the nearest one inside again, which changes no maximum, nor which of equal ones comes first.
int windows_of_maximum(Builder& builder, const BoundCall& call, int x, int first, std::span<const WindowDim> dims) {
  const DType dtype = builder.dtype(x);
  if (dtype != DType::i64) return windows_of(builder, x, first, dims, neutral_literal(Reduction::max, dtype));
  for (size_t k = 0; k < dims.size(); ++k) {
    const WindowDim& dim = dims[k];
    const int at = first + 2 * static_cast<int>(k);
    const bool inside = dim.low == 0 && dim.covered() <= dim.size;
    x = inside ? builder.window(x, at, dim.positions, dim.taps, dim.stride, dim.dilation)
               : builder.gather(x, places_inside(builder, call, dim), at);
  }
  return x;
}

// Where the maximum stands: of equal ones the first, of several NaN the last, as eager's loop leaves it. Among nothing
// but -inf padding may come first; the place is then the first that lies inside.
int place_of_maximum(Builder& builder, int windows, int first, std::span<const WindowDim> dims) {
  const std::vector<int64_t> taps = every_second(first + 1, dims.size());
  int place = builder.reduce(Reduction::argmax, windows, taps, false);
  const Sizes apart = builder.sizes(windows), left = builder.sizes(place);
  if (is_float(builder.dtype(windows))) {
    int number = -1;
    for (size_t k = 0; k < dims.size(); ++k) {
      const int along = builder.iota(apart, static_cast<int>(taps[k]));
      number = number < 0
                   ? along
                   : builder.apply(Function::add,
                                   {builder.with(Function::mul, number, static_cast<double>(dims[k].taps)), along});
    }
    const int nan = builder.apply(Function::is_nan, {windows});
    const int marked = builder.select(nan, number, builder.number(-1, DType::i64));
    const int last_nan = builder.reduce(Reduction::max, marked, taps, false);
    place = builder.select(builder.with(Function::greater_equal, last_nan, 0), last_nan, place);
  }
  int64_t behind = 1;
  for (const WindowDim& dim : dims) behind *= dim.taps;
  int rest = place, flat = -1;
  for (size_t k = 0; k < dims.size(); ++k) {
    const WindowDim& dim = dims[k];
    behind /= dim.taps;
    const int tap = builder.with(Function::div, rest, static_cast<double>(behind));
    rest = builder.apply(Function::sub, {rest, builder.with(Function::mul, tap, static_cast<double>(behind))});
    const int begin = builder.iota(left, first + static_cast<int>(k), -dim.low, dim.stride);
    const int step = builder.with(Function::mul, tap, static_cast<double>(dim.dilation));
    int at = builder.apply(Function::add, {begin, step});
    if (dim.low > 0) {
      // The first multiple of the dilation inside: begin + ceil(-begin / dilation) * dilation.
      const double dilation = static_cast<double>(dim.dilation);
      const int missing = builder.with(Function::maximum, builder.apply(Function::neg, {begin}), 0);
      const int steps = builder.with(Function::div, builder.with(Function::add, missing, dilation - 1), dilation);
      const int inside = builder.apply(Function::add, {begin, builder.with(Function::mul, steps, dilation)});
      at = builder.apply(Function::maximum, {at, inside});
    }
    flat = flat < 0
               ? at
               : builder.apply(Function::add, {builder.with(Function::mul, flat, static_cast<double>(dim.size)), at});
  }
  return flat;
}

template <size_t rank>
Lowered lower_maximum(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (self.type.dtype == DType::boolean) call.reject("the maximum of bools");
  const std::vector<WindowDim> dims = pool_dims(call, self.type.sizes, rank);
  const Sizes sizes = pooled_sizes(self.type, dims);
  const int first = rank_of(self) - static_cast<int>(rank);
  const int windows = windows_of_maximum(builder, call, builder.read(self), first, dims);
  const int node = builder.reduce(Reduction::max, windows, every_second(first + 1, rank), false);
  const Sizes strides = pooled_strides(self.type, sizes);
  Lowered results = {builder.fresh(node, strides)};
  if (call.result_count() > 1)
    results.push_back(builder.fresh(place_of_maximum(builder, windows, first, dims), strides));
  return results;
}

constexpr std::string_view kAverage1dSamples[] = {
    "def f(x: f32[2,3,65]): y = aten.$(x, [4]); return y",
    "def f(x: f16[3,13]): y = aten.$(x, [5], [2], [2], True); return y",
    "def f(x: bf16[2,11]): y = aten.$(x, 3, 2, 1, True, False); return y",
};
constexpr std::string_view kAverage2dSamples[] = {
    "def f(x: f32[2,3,7,65]): y = aten.$(x, [3, 2], [2, 3], [1, 0], True); return y",
    "def f(x: f16[3,8,5]): y = aten.$(x, 3, 2, 1, True, False); return y",
    "def f(x: bf16[1,2,6,5]): y = aten.$(x, [2, 3], [1, 2], [1, 1], False, False); return y",
    "def f(x: f32[1,2,6,5]): y = aten.$(x, [3, 3], [2, 2], [1, 1], True, True, 7); return y",
    "def f(x: i64[2,7,9]): y = aten.$(x, [3, 2], [2], [1, 1], True, False); return y",
    "def f(x: f32[2,3,6,5]{stride=90,1,15,3}): y = aten.$(x, [2, 2]); return y",
    "def f(x: f64[0,3,6,5]): y = aten.$(x, [2, 2]); return y",
};
constexpr std::string_view kAverage3dSamples[] = {
    "def f(x: f32[2,3,4,5,7]): y = aten.$(x, [2, 3, 2], [1, 2, 3], [1, 0, 1], True, False); return y",
    "def f(x: f64[2,5,4,3]): y = aten.$(x, 3, 2, 1, True, True, 5); return y",
};
constexpr std::string_view kMaximum1dSamples[] = {
    "def f(x: f32[2,3,65]): y = aten.$(x, [4]); return y",
    "def f(x: f16[3,13]): y = aten.$(x, [5], [2], [2], [1], True); return y",
    "def f(x: f32[1,9]): y = aten.$(x, 3, 2, 1, 2); return y; "
    "call f(x = values(2.0, nan, -1.0, inf, 2.0, -inf, -inf, -inf, -inf))",
};
constexpr std::string_view kMaximum2dSamples[] = {
    "def f(x: f32[2,3,7,65]): y = aten.$(x, [3, 2], [2, 3], [1, 0], [1, 2], True); return y",
    "def f(x: bf16[3,8,5]): y = aten.$(x, 3, 2, 1); return y",
    "def f(x: i32[2,7,9]): y = aten.$(x, [3, 2]); return y",
    "def f(x: f16[2,3,6,5]{stride=90,1,15,3}): y = aten.$(x, [3, 3], [2, 2], [1, 1]); return y",
};
constexpr std::string_view kMaximum3dSamples[] = {
    "def f(x: f32[2,3,4,5,7]): y = aten.$(x, [2, 3, 2], [1, 2, 3], [1, 0, 1], [1, 1, 2], True); return y",
    "def f(x: f64[2,5,4,3]): y = aten.$(x, 3, 2, 1); return y",
};
constexpr std::string_view kIndices2dSamples[] = {
    "def f(x: f32[2,3,7,65]): y, i = aten.$(x, [3, 2], [2, 3], [1, 0], [1, 2], True); return y, i",
    "def f(x: f16[3,8,5]): y, i = aten.$(x, 3, 2, 1); return y, i",
    "def f(x: bf16[1,2,9,5]): y, i = aten.$(x, [3, 3], [1, 1], [1, 1], [2, 2]); return y, i",
    "def f(x: i64[2,7,9]): y, i = aten.$(x, [3, 2], [1, 1], [1, 0], [2, 1], True); return y, i; "
    "call f(x = integers(-3,0,1))",
    "def f(x: f32[1,3,4]): y, i = aten.$(x, [2, 2], [1, 1], [1, 1]); return y, i; "
    "call f(x = values(nan, 1.0, nan, -inf, nan, inf, -inf, -inf, 2.0, 2.0, -inf, -inf))",
    "def f(x: f32[2,3,6,5]{stride=90,1,15,3}): y, i = aten.$(x, [3, 3], [2, 2], [1, 1]); return y, i",
    "def f(x: f64[0,3,6,5]): y, i = aten.$(x, [2, 2]); return y, i",
};
constexpr std::string_view kIndices3dSamples[] = {
    "def f(x: f32[2,3,4,5,7]): y, i = aten.$(x, [2, 3, 2], [1, 2, 3], [1, 0, 1], [1, 1, 2], True); return y, i",
    "def f(x: bf16[2,5,4,3]): y, i = aten.$(x, 3, 2, 1); return y, i",
};

}  // namespace

#define POOL(name, text, lowering, test) \
  constinit const OpRow op_##name{       \
      .id = #name, .summary = text, .family = OpFamily::reduction, .lower = lowering, .samples = test};

POOL(avg_pool1d, "the mean of windows along the last dim", lower_average<1>, kAverage1dSamples)
POOL(avg_pool2d, "the mean of windows over the last two dims", lower_average<2>, kAverage2dSamples)
POOL(avg_pool3d, "the mean of windows over the last three dims", lower_average<3>, kAverage3dSamples)
POOL(max_pool1d, "the maximum of windows along the last dim", lower_maximum<1>, kMaximum1dSamples)
POOL(max_pool2d, "the maximum of windows over the last two dims", lower_maximum<2>, kMaximum2dSamples)
POOL(max_pool3d, "the maximum of windows over the last three dims", lower_maximum<3>, kMaximum3dSamples)
POOL(max_pool2d_with_indices, "max_pool2d, and where the maxima stand", lower_maximum<2>, kIndices2dSamples)
POOL(max_pool3d_with_indices, "max_pool3d, and where the maxima stand", lower_maximum<3>, kIndices3dSamples)

#undef POOL

}  // namespace faultline
