// Distances between rows: of two tensors, or of every pair of one.
#include <cmath>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

// The p-norm over the last dim.
int norm_of(Builder& builder, const BoundCall& call, int difference, double p) {
  const std::vector<int64_t> last = {builder.rank(difference) - 1};
  const DType dtype = builder.dtype(difference);
  if (!(p >= 0)) call.reject("a negative norm");
  if (builder.size(difference, static_cast<int>(last[0])) == 0) {
    Sizes left = builder.sizes(difference);
    left.pop_back();
    return builder.number(0, dtype, left);
  }
  if (p == 0) {
    const int size = builder.apply(Function::abs, {difference});  // 1 where they differ, and NaN where one is NaN
    const int differs = builder.with(Function::minimum, builder.apply(Function::ceil, {size}), 1);
    return builder.reduce(Reduction::sum, differs, last, false);
  }
  if (p == 2) {
    const int square = builder.apply(Function::mul, {difference, difference});
    return builder.apply(Function::sqrt, {builder.reduce(Reduction::sum, square, last, false)});
  }
  const int size = builder.apply(Function::abs, {difference});
  if (p == 1) return builder.reduce(Reduction::sum, size, last, false);
  if (std::isinf(p)) return builder.reduce(Reduction::max, size, last, false);
  const int sum = builder.reduce(Reduction::sum, builder.with(Function::pow, size, p), last, false);
  return builder.with(Function::pow, sum, 1 / p);
}

// sqrt(max(|a|^2 + |b|^2 - 2 a.b, 0)): one product of [-2 a, |a|^2, 1] and [b, 1, |b|^2], as eager forms it.
int euclidean_by_product(Builder& builder, int a, int b) {
  const DType dtype = builder.dtype(a);
  const auto square_of = [&](int x) {
    return builder.reduce(Reduction::sum, builder.apply(Function::mul, {x, x}), {2}, true);
  };
  const auto ones_of = [&](int x) { return builder.number(1, dtype, {builder.size(x, 0), builder.size(x, 1), 1}); };
  const int left[] = {builder.with(Function::mul, a, -2), square_of(a), ones_of(a)};
  const int right[] = {b, ones_of(b), square_of(b)};
  const int product = builder.dot(builder.concat(left, 2), builder.transpose(builder.concat(right, 2), 1, 2));
  return builder.apply(Function::sqrt, {builder.with(Function::maximum, product, 0)});
}

Lowered lower_cdist(Builder& builder, const BoundCall& call) {
  const TensorValue &first = call.tensor("x1"), &second = call.tensor("x2");
  const int rank_a = rank_of(first), rank_b = rank_of(second);
  if (rank_a < 2 || rank_b < 2 || first.type.sizes.back() != second.type.sizes.back())
    call.reject("operands that hold no rows of one length");
  if (first.type.dtype != second.type.dtype || !is_float(first.type.dtype)) call.reject("operands of other dtypes");
  const Sizes batch = broadcast_sizes(Sizes(first.type.sizes.begin(), first.type.sizes.end() - 2),
                                      Sizes(second.type.sizes.begin(), second.type.sizes.end() - 2));
  const int64_t rows = first.type.sizes[rank_a - 2], columns = second.type.sizes[rank_b - 2],
                depth = first.type.sizes.back();
  const auto batched = [&](const TensorValue& tensor, int64_t count) {
    Sizes full = batch;
    full.insert(full.end(), {count, depth});
    return builder.reshape(builder.expand(builder.read(tensor), full), {element_count(batch), count, depth});
  };
  const int a = batched(first, rows), b = batched(second, columns);
  const double p = call.real("p");
  const int64_t mode = call.given("compute_mode") ? call.integer("compute_mode") : 0;
  const bool by_product = p == 2 && depth > 0 && (mode == 1 || (mode == 0 && (rows > 25 || columns > 25)));
  int node = 0;
  if (by_product) {
    node = euclidean_by_product(builder, a, b);
  } else {
    const Sizes pairs = {builder.size(a, 0), rows, columns, depth};
    const int left = builder.broadcast(a, pairs, {0, 1, 3}), right = builder.broadcast(b, pairs, {0, 2, 3});
    int difference = builder.apply(Function::sub, {left, right});
    if (std::isinf(p))  // eager's largest of a pair of tensors, unlike that of one, leaves NaN out
      difference = builder.select(builder.apply(Function::is_nan, {difference}), builder.number(0, builder.dtype(a)),
                                  difference);
    node = norm_of(builder, call, difference, p);
  }
  Sizes sizes = batch;
  sizes.insert(sizes.end(), {rows, columns});
  return {builder.fresh(builder.reshape(node, sizes))};
}

// Row by row, each with the rows behind it.
Lowered lower_pdist(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) != 2 || !is_float(self.type.dtype)) call.reject("no matrix of floats");
  const int x = builder.read(self);
  const int64_t rows = builder.size(x, 0), depth = builder.size(x, 1);
  if (rows < 2) return {builder.fresh(builder.number(0, self.type.dtype, {0}))};
  std::vector<int> parts;
  for (int64_t row = 0; row + 1 < rows; ++row) {
    const Sizes behind = {rows - row - 1, depth};
    parts.push_back(builder.apply(Function::sub, {builder.expand(builder.slice(x, 0, row, 1), behind),
                                                  builder.slice(x, 0, row + 1, rows - row - 1)}));
  }
  return {builder.fresh(norm_of(builder, call, builder.concat(parts, 0), call.real("p")))};
}

constexpr std::string_view kCdistSamples[] = {
    "def f(x: f32[3,65], y: f32[5,65]): z = aten.$(x, y, 2.0, None); return z",
    "def f(x: f32[2,1,3,7], y: f32[4,5,7]): z = aten.$(x, y, 1.0, None); return z",
    "def f(x: f64[3,7], y: f64[5,7]): z = aten.$(x, y, 3.5, 0); w = aten.$(x, y, 0.0, 0); return z, w",
    "def f(x: f32[3,7], y: f32[5,7]): z = aten.$(x, y, inf, None); return z",
    "def f(x: f32[3,7], y: f32[30,7]): z = aten.$(x, y, 2.0, None); w = aten.$(x, y, 2.0, 2); return z, w",
    "def f(x: f32[2,0,7], y: f32[2,3,7], u: f32[3,0]): z = aten.$(x, y, 2.0, 1); w = aten.$(u, u, 2.0, 1); return z, w",
};
constexpr std::string_view kPdistSamples[] = {
    "def f(x: f32[7,65]): y = aten.$(x); return y",
    "def f(x: f64[5,3]): y = aten.$(x, 1.0); z = aten.$(x, 2.5); return y, z",
    "def f(x: f32[1,3]): y = aten.$(x); return y",
    "def f(x: f32[4,3]): y = aten.$(x, inf); z = aten.$(x, 0.0); return y, z",
};

}  // namespace

#define DISTANCE(name, text, lowering, test) \
  constinit const OpRow op_##name{           \
      .id = #name, .summary = text, .family = OpFamily::reduction, .lower = lowering, .samples = test};

DISTANCE(_cdist_forward, "distances between the rows of two matrices", lower_cdist, kCdistSamples)
DISTANCE(_pdist_forward, "distances between the rows of a matrix", lower_pdist, kPdistSamples)

#undef DISTANCE

}  // namespace faultline
