// Elements moved, repeated, cut off or surrounded, always in a new tensor.
#include <algorithm>

#include "runtime/layers/decompose/borders.h"
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

// Pairs (before, after), the last dim first; negative ones cut off.
Lowered padded(Builder& builder, const BoundCall& call, const Scalar& value) {
  const TensorValue& self = call.tensor("self");
  const std::vector<int64_t> pairs = call.integers("pad");
  const Sizes& from = self.type.sizes;
  if (pairs.size() % 2 != 0 || pairs.size() / 2 > from.size()) call.reject("no pair of numbers for each dim");
  std::vector<int64_t> low(from.size(), 0);
  TensorType cut = self.type;
  Sizes to = from;
  bool grows = false;
  for (size_t k = 0; k < pairs.size() / 2; ++k) {
    const size_t d = from.size() - 1 - k;
    low[d] = pairs[2 * k];
    to[d] += pairs[2 * k] + pairs[2 * k + 1];
    cut.sizes[d] += std::min<int64_t>(pairs[2 * k], 0) + std::min<int64_t>(pairs[2 * k + 1], 0);
    grows = grows || pairs[2 * k] > 0 || pairs[2 * k + 1] > 0;
    if (to[d] < 0 || cut.sizes[d] < 0) call.reject("more cut off than there is");
  }
  const int node = builder.pad(builder.read(self), low, to, scalar_literal(value, self.type.dtype));
  return {builder.fresh(node, grows ? suggested_strides(self.type, to) : preserved_strides(cut))};
}

Lowered lower_constant_pad(Builder& builder, const BoundCall& call) {
  return padded(builder, call, call.scalar("value"));
}

Lowered lower_pad(Builder& builder, const BoundCall& call) {
  if (const std::string mode = call.word("mode"); mode != "constant") return lower_bordered_pad(builder, call, mode);
  return padded(builder, call, call.given("value") ? call.scalar("value") : Scalar{int64_t{0}});
}

Lowered lower_flip(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const std::vector<int64_t> dims = call.dims("dims", rank_of(self), false);
  return {builder.fresh(builder.flip(builder.read(self), dims), preserved_strides(self.type))};
}

// Where a roll cuts the dim in two; what lies behind comes first.
int64_t roll_start(int64_t size, int64_t shift) { return size == 0 ? 0 : ((-shift) % size + size) % size; }

// Eager joins two narrow views, one of which may be empty: channels-last where both are.
Sizes rolled_strides(const TensorType& type, int dim, int64_t start) {
  TensorType front = type, back = type;
  front.sizes[dim] = start;
  back.sizes[dim] -= start;
  const bool channels_last = suggests_channels_last(front) && suggests_channels_last(back);
  return channels_last ? channels_last_strides(type.sizes) : contiguous_strides(type.sizes);
}

int rolled(Builder& builder, int x, int dim, int64_t shift) {
  const int64_t size = builder.size(x, dim), start = roll_start(size, shift);
  if (start == 0) return x;
  const int parts[] = {builder.slice(x, dim, start, size - start), builder.slice(x, dim, 0, start)};
  return builder.concat(parts, dim);
}

Lowered lower_roll(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const std::vector<int64_t> shifts = call.integers("shifts"), dims = call.integers("dims");
  int x = builder.read(self);
  if (dims.empty()) {
    if (shifts.size() != 1) call.reject("several shifts of all dims");
    x = rolled(builder, builder.reshape(x, {element_count(self.type.sizes)}), 0, shifts[0]);
    return {builder.fresh(builder.reshape(x, self.type.sizes))};
  }
  if (shifts.size() != dims.size() || rank_of(self) == 0) call.reject("shifts and dims differ in length");
  if (element_count(self.type.sizes) == 0) return {like_result(builder, x, self)};
  TensorType type = self.type;
  for (size_t k = 0; k < dims.size(); ++k) {
    const int dim = wrap_dim(dims[k], rank_of(self));
    if (dim < 0) call.reject("a dim out of range");
    x = rolled(builder, x, dim, shifts[k]);
    type.strides = rolled_strides(type, dim, roll_start(type.sizes[dim], shifts[k]));
  }
  return {builder.fresh(x, type.strides)};
}

// Each dim [n] as [times, n], joined again.
Lowered repeated(Builder& builder, const BoundCall& call, std::vector<int64_t> times) {
  const TensorValue& self = call.tensor("self");
  const size_t rank = self.type.sizes.size();
  if (times.size() < rank) call.reject("fewer numbers than dims");
  Sizes apart, spread, joined;
  std::vector<int64_t> axes;
  for (size_t d = 0; d < times.size(); ++d) {
    const size_t added = times.size() - rank;
    const int64_t own = d < added ? 1 : self.type.sizes[d - added];
    if (times[d] < 0) call.reject("a negative number of repetitions");
    apart.insert(apart.end(), {1, own});
    spread.insert(spread.end(), {times[d], own});
    joined.push_back(times[d] * own);
  }
  const int parts = builder.reshape(builder.read(self), apart);
  return {builder.fresh(builder.reshape(builder.expand(parts, spread), joined))};
}

Lowered lower_repeat(Builder& builder, const BoundCall& call) {
  return repeated(builder, call, call.integers("repeats"));
}

// Missing numbers in front are 1.
Lowered lower_tile(Builder& builder, const BoundCall& call) {
  std::vector<int64_t> times = call.integers("dims");
  const size_t rank = call.type("self").sizes.size();
  if (times.size() < rank) times.insert(times.begin(), rank - times.size(), 1);
  return repeated(builder, call, times);
}

// Each element so many times in a row; without a dim, of the flat tensor.
Lowered lower_repeat_interleave(Builder& builder, const BoundCall& call) {
  if (!call.has("self")) call.reject("repetitions that depend on the data");
  const TensorValue& self = call.tensor("self");
  const int64_t times = call.integer("repeats");
  if (times < 0) call.reject("a negative number of repetitions");
  int x = builder.read(self);
  int dim = 0;
  if (!call.given("dim") || rank_of(self) == 0)
    x = builder.reshape(x, {element_count(self.type.sizes)});
  else
    dim = call.dim("dim", rank_of(self));
  Sizes spread = builder.sizes(x), joined = builder.sizes(x);
  spread.insert(spread.begin() + dim + 1, times);
  joined[dim] *= times;
  const int columns = builder.expand(builder.insert_dim(x, dim + 1), spread);
  return {builder.fresh(builder.reshape(columns, joined))};
}

// Row - column against the diagonal's number: what lies on the wrong side becomes 0.
template <Function kept>
Lowered lower_triangle(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self), rank = builder.rank(x);
  if (rank < 2) call.reject("a tensor of less than 2 dims");
  const Sizes matrix = {builder.size(x, rank - 2), builder.size(x, rank - 1)};
  const int column = builder.iota(matrix, 1), edge = builder.iota(matrix, 0, call.integer("diagonal"));
  const int zero = builder.number(0, self.type.dtype);
  return {builder.fresh(builder.select(builder.apply(kept, {column, edge}), x, zero))};
}

constexpr std::string_view kConstantPadSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, [1, 2], -3.5); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, [-1, 2, 1, 0]); return y",
    "def f(x: i32[3,5]{stride=1,3}): y = aten.$(x, [-1, -2]); return y",
    "def f(x: f32[1,3,4,5]{stride=60,1,15,3}): y = aten.$(x, [1, 0]); return y",
};
constexpr std::string_view kPadSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, [1, 2], value = 7.0); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, [0, 0, 3, -1]); return y",
    "def f(x: f32[2,3,5]): y = aten.$(x, [2, 4], \"reflect\"); return y",
    "def f(x: bf16[2,3,5]): y = aten.$(x, [2, 7, 1, -1], \"replicate\"); return y",
    "def f(x: i64[2,3,5]): y = aten.$(x, [2, 4, -1, 2], \"circular\"); return y",
    "def f(x: f32[1,2,3,5]{stride=30,1,10,2}): y = aten.$(x, [1, 1, 3, 0], \"circular\"); return y",
};
constexpr std::string_view kFlipSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, [0]); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.$(x, [-1, 0]); return y",
    "def f(x: i64[2,3]{stride=4,1 offset=1}): y = aten.$(x, []); return y",
};
constexpr std::string_view kRollSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, [3], [0]); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, [-2]); return y",
    "def f(x: i32[3,5]{stride=1,3}): y = aten.$(x, [1, 12], [0, -1]); return y",
};
constexpr std::string_view kRepeatSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, [2]); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, [2, 1, 3]); return y",
    "def f(x: i32[2,3]): y = aten.$(x, [0, 2]); return y",
};
constexpr std::string_view kTileSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, [2, 2]); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x, [3]); return y",
};
constexpr std::string_view kInterleaveSamples[] = {
    "def f(x: f32[65]): y = aten.$.self_int(x, 3); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$.self_int(x, 2, -1); return y",
    "def f(x: i32[3,5]): y = aten.$.self_int(x, 2); return y",
};
constexpr std::string_view kTriangleSamples[] = {
    "def f(x: f32[5,7]): y = aten.$(x); return y",
    "def f(x: f16[2,5,3]{stride=1,2,10}): y = aten.$(x, -1); return y",
    "def f(x: bool[4,4]): y = aten.$(x, 1); return y",
    "def f(x: f32[4,4]): y = aten.$_(x, 2); return x",
};

}  // namespace

#define MOVEMENT(name, text, lowering, test) \
  constinit const OpRow op_##name{           \
      .id = #name, .summary = text, .family = OpFamily::movement, .lower = lowering, .samples = test};

MOVEMENT(constant_pad_nd, "a number around the tensor, or its borders cut off", lower_constant_pad, kConstantPadSamples)
MOVEMENT(pad, "a number, or the tensor's own elements, around the tensor", lower_pad, kPadSamples)
MOVEMENT(flip, "dims in reverse", lower_flip, kFlipSamples)
MOVEMENT(roll, "elements moved along dims, round the end", lower_roll, kRollSamples)
MOVEMENT(repeat, "the tensor several times along each dim", lower_repeat, kRepeatSamples)
MOVEMENT(tile, "repeat, where missing numbers are 1", lower_tile, kTileSamples)
MOVEMENT(repeat_interleave, "each element several times in a row", lower_repeat_interleave, kInterleaveSamples)
MOVEMENT(triu, "the upper triangle, 0 below", lower_triangle<Function::greater_equal>, kTriangleSamples)
MOVEMENT(tril, "the lower triangle, 0 above", lower_triangle<Function::less_equal>, kTriangleSamples)

#undef MOVEMENT

}  // namespace faultline
