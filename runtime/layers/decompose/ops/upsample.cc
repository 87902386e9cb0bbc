// Images in other sizes. Which elements a result element takes is known when the graph is built; it is worked out in
// the type in which eager works it out, so that both round to the same neighbour.
#include <algorithm>
#include <cmath>

#include "runtime/layers/decompose/pooling.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/tables.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

struct Resize {
  int64_t from = 0, to = 0;
  double scale = 0;  // as the call gives it; 0: none
};

// The overloads with `input` give sizes or factors as lists, the others sizes and a factor a dim.
std::vector<Resize> resizes_of(const BoundCall& call, const TensorValue& input, size_t rank) {
  if (input.type.sizes.size() != rank + 2) call.reject("a tensor that holds no images");
  static constexpr std::string_view kScales[] = {"scales_d", "scales_h", "scales_w"};
  std::vector<Resize> resizes(rank);
  const bool sized = call.given("output_size");
  const std::vector<int64_t> sizes = sized ? for_each_dim(call, "output_size", rank) : std::vector<int64_t>(rank, 0);
  const std::vector<double> factors =
      call.given("scale_factors") ? call.reals("scale_factors") : std::vector<double>(rank, 0);
  if (factors.size() != rank || sized == call.given("scale_factors")) call.reject("neither sizes nor factors");
  for (size_t k = 0; k < rank; ++k) {
    const std::string_view scale = rank == 1 ? "scales" : kScales[3 - rank + k];
    Resize& resize = resizes[k];
    resize.from = input.type.sizes[k + 2];
    resize.scale = call.has(scale) && call.given(scale) ? call.real(scale) : factors[k];
    resize.to = sized ? sizes[k] : static_cast<int64_t>(static_cast<double>(resize.from) * resize.scale);
    if (resize.from < 1 || resize.to < 1) call.reject("images without elements");
  }
  return resizes;
}

const TensorValue& input_of(const BoundCall& call) { return call.tensor(call.has("input") ? "input" : "self"); }

template <class Real>
Real ratio_of(const Resize& resize) {
  if (resize.scale > 0) return static_cast<Real>(1.0 / resize.scale);
  return static_cast<Real>(resize.from) / static_cast<Real>(resize.to);
}

// `whole`: where the size stays or doubles, a given factor does not matter, as in eager's kernel for two dims alone.
template <class Real>
std::vector<int64_t> nearest_table(const Resize& resize, bool whole) {
  std::vector<int64_t> table;
  const Real ratio = ratio_of<Real>(resize);
  for (int64_t i = 0; i < resize.to; ++i) {
    const auto scaled = static_cast<int64_t>(std::floor(static_cast<Real>(i) * ratio));
    const int64_t plain = resize.to == resize.from ? i : i / 2;
    const bool is_plain = whole && (resize.to == resize.from || resize.to == 2 * resize.from);
    const int64_t nearest = is_plain ? plain : scaled;
    table.push_back(std::min(nearest, resize.from - 1));
  }
  return table;
}

template <size_t rank>
Lowered lower_nearest(Builder& builder, const BoundCall& call) {
  const TensorValue& input = input_of(call);
  if (!is_float(input.type.dtype) && input.type.dtype != DType::u8) call.reject("images of this dtype");
  int node = builder.read(input);
  const std::vector<Resize> resizes = resizes_of(call, input, rank);
  for (size_t k = 0; k < rank; ++k) {
    const Resize& resize = resizes[k];
    const bool whole = rank == 2;
    const auto table =
        input.type.dtype == DType::f64 ? nearest_table<double>(resize, whole) : nearest_table<float>(resize, whole);
    node = taken(builder, node, static_cast<int>(k) + 2, table);
  }
  const Sizes sizes = builder.sizes(node);
  return {builder.fresh(node, rank > 1 ? suggested_strides(input.type, sizes) : contiguous_strides(sizes))};
}

// Along one dim: the two elements between which each result element lies, and how near it is to the second.
struct Linear {
  std::vector<int64_t> first, second;
  int weight = -1;  // a vector in the type of the arithmetic
};

template <class Real>
Linear linear_of(Builder& builder, const Resize& resize, bool corners, DType dtype) {
  Linear linear;
  Real ratio = ratio_of<Real>(resize);
  if (corners) ratio = resize.to > 1 ? static_cast<Real>(resize.from - 1) / static_cast<Real>(resize.to - 1) : Real(0);
  const bool same = resize.from == resize.to;
  for (int64_t i = 0; i < resize.to; ++i) {
    const Real place = corners ? ratio * static_cast<Real>(i)
                               : std::max(ratio * (static_cast<Real>(i) + Real(0.5)) - Real(0.5), Real(0));
    const int64_t at = same ? i : std::min(static_cast<int64_t>(std::floor(place)), resize.from - 1);
    linear.first.push_back(at);
    linear.second.push_back(std::min(at + 1, resize.from - 1));
  }
  if (same) {
    linear.weight = builder.number(0, dtype, {resize.to});
    return linear;
  }
  int place = builder.real_iota({resize.to}, 0, corners ? 0 : 0.5, 1, dtype);
  place = builder.with(Function::mul, place, static_cast<double>(ratio));
  if (!corners) place = builder.with(Function::maximum, builder.with(Function::sub, place, 0.5), 0);
  const int below = builder.cast(number_vector(builder, linear.first), dtype);
  const int weight = builder.apply(Function::sub, {place, below});
  linear.weight = builder.with(Function::minimum, builder.with(Function::maximum, weight, 0), 1);
  return linear;
}

int blended(Builder& builder, int first, int second, int weight) {
  const int rest = builder.apply(Function::sub, {builder.number(1, builder.dtype(weight)), weight});
  return builder.apply(Function::add,
                       {builder.apply(Function::mul, {first, rest}), builder.apply(Function::mul, {second, weight})});
}

// Between rows after between columns, in f32 for narrower types.
Lowered lower_bilinear(Builder& builder, const BoundCall& call) {
  const TensorValue& input = input_of(call);
  const DType dtype = input.type.dtype;
  if (!is_float(dtype)) call.reject("the interpolation of integers, which eager rounds to integer weights");
  const DType computed = dtype == DType::f64 ? DType::f64 : DType::f32;
  const bool corners = call.boolean("align_corners");
  const std::vector<Resize> resizes = resizes_of(call, input, 2);
  Linear lines[2];
  for (size_t k = 0; k < 2; ++k)
    lines[k] = dtype == DType::f64 ? linear_of<double>(builder, resizes[k], corners, computed)
                                   : linear_of<float>(builder, resizes[k], corners, computed);
  const int x = builder.cast(builder.read(input), computed);
  const int row_weight = along_dim(builder, lines[0].weight, 4, 2),
            column_weight = along_dim(builder, lines[1].weight, 4, 3);
  const auto row = [&](const std::vector<int64_t>& table) {
    const int rows = taken(builder, x, 2, table);
    return blended(builder, taken(builder, rows, 3, lines[1].first), taken(builder, rows, 3, lines[1].second),
                   column_weight);
  };
  const int upper = row(lines[0].first), lower = row(lines[0].second);
  const int node = builder.cast(blended(builder, upper, lower, row_weight), dtype);
  return {builder.fresh(node, suggested_strides(input.type, builder.sizes(node)))};
}

constexpr std::string_view kNearest1dSamples[] = {
    "def f(x: f32[2,3,5]): y = aten.$(x, [13]); return y",
    "def f(x: f16[1,2,65]): y = aten.$(x, [130], 2.0); return y",
    "def f(x: bf16[2,1,7]): y = aten.$.vec(x, None, [1.7]); return y",
};
constexpr std::string_view kNearest2dSamples[] = {
    "def f(x: f32[2,3,5,7]): y = aten.$(x, [10, 21]); return y",
    "def f(x: f16[1,2,9,13]): y = aten.$(x, [4, 5]); return y",
    "def f(x: bf16[2,1,7,5]): y = aten.$.vec(x, None, [1.5, 2.3]); return y",
    "def f(x: f64[1,1,3,2]): y = aten.$.vec(x, None, [2.2, 1.3]); return y",
    "def f(x: f32[1,3,6,5]{stride=90,1,15,3}): y = aten.$.vec(x, [11, 5], None); return y",
    "def f(x: u8[1,1,3,65]): y = aten.$(x, [5, 41], 1.9, None); return y",
};
constexpr std::string_view kNearest3dSamples[] = {
    "def f(x: f32[2,1,3,4,5]): y = aten.$(x, [6, 7, 5]); return y",
    "def f(x: f64[1,2,4,3,2]): y = aten.$.vec(x, None, [0.8, 2.0, 1.5]); return y",
};
constexpr std::string_view kBilinearSamples[] = {
    "def f(x: f32[2,3,5,7]): y = aten.$(x, [10, 21], False); return y",
    "def f(x: f32[1,2,9,13]): y = aten.$(x, [4, 5], True); return y",
    "def f(x: f16[2,1,7,5]): y = aten.$.vec(x, None, False, [1.5, 2.3]); return y",
    "def f(x: bf16[1,3,6,5]): y = aten.$.vec(x, [11, 5], True, None); return y",
    "def f(x: f64[1,1,3,65]): y = aten.$.vec(x, [5, 41], False, None); return y",
    "def f(x: f32[1,3,6,5]{stride=90,1,15,3}): y = aten.$.vec(x, [11, 1], True, None); return y",
};

}  // namespace

#define UPSAMPLE(name, text, lowering, test) \
  constinit const OpRow op_##name{           \
      .id = #name, .summary = text, .family = OpFamily::movement, .lower = lowering, .samples = test};

UPSAMPLE(upsample_nearest1d, "the nearest element along the last dim", lower_nearest<1>, kNearest1dSamples)
UPSAMPLE(upsample_nearest2d, "the nearest element along the last two dims", lower_nearest<2>, kNearest2dSamples)
UPSAMPLE(upsample_nearest3d, "the nearest element along the last three dims", lower_nearest<3>, kNearest3dSamples)
UPSAMPLE(upsample_bilinear2d, "elements between their four neighbours", lower_bilinear, kBilinearSamples)

#undef UPSAMPLE

}  // namespace faultline
