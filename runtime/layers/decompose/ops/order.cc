// Sorting by counting: the rank of an element is how many stand before it, and the element of rank p stands at p. Every
// pair of a row is compared, so rows are meant to be short. Equal elements keep their order, and NaN is larger than any
// number.
#include <numeric>

#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

struct Sorted {
  int values, indices;
};

// Whether the element of the first operand stands before that of the second for its value alone.
int stands_before(Builder& builder, int first, int second, bool descending) {
  const int decided = builder.apply(descending ? Function::greater : Function::less, {first, second});
  if (!is_float(builder.dtype(first))) return decided;
  const int first_nan = builder.apply(Function::is_nan, {first}),
            second_nan = builder.apply(Function::is_nan, {second});
  const int number_and_nan = descending
                                 ? builder.apply(Function::bitwise_and, {first_nan, builder.logical_not(second_nan)})
                                 : builder.apply(Function::bitwise_and, {builder.logical_not(first_nan), second_nan});
  return builder.apply(Function::bitwise_or, {decided, number_and_nan});
}

// The rank of every element along the last dim.
int ranks_of(Builder& builder, int x, bool descending) {
  const int last = builder.rank(x);
  Sizes pairs = builder.sizes(x);
  pairs.push_back(builder.sizes(x).back());
  const int own = builder.expand(builder.insert_dim(x, last), pairs);
  const int other = builder.expand(builder.insert_dim(x, last - 1), pairs);
  const int before = stands_before(builder, other, own, descending);
  const int behind = stands_before(builder, own, other, descending);
  const int place = builder.iota(pairs, last), own_place = builder.iota(pairs, last - 1);
  const int earlier = builder.apply(Function::less, {place, own_place});
  const int later = builder.apply(Function::greater, {place, own_place});  // nothing stands before itself
  const int from_earlier = builder.apply(Function::bitwise_and, {builder.logical_not(behind), earlier});
  const int from_later = builder.apply(Function::bitwise_and, {before, later});
  const int counted = builder.cast(builder.apply(Function::bitwise_or, {from_earlier, from_later}), DType::i64);
  return builder.reduce(Reduction::sum, counted, {last}, false);
}

struct Order {
  bool descending = false;
  bool stable = false;  // as promised; computed so in any case
};

// The first `count` of the sorted row, along the last dim.
Sorted first_sorted(Builder& builder, int x, int64_t count, const Order& order) {
  const int last = builder.rank(x);
  Sizes places = builder.sizes(x);
  places.insert(places.end() - 1, count);
  const int ranks = builder.expand(builder.insert_dim(ranks_of(builder, x, order.descending), last - 1), places);
  const int here = builder.apply(Function::equal, {ranks, builder.iota(places, last - 1)});
  const int index = builder.select(here, builder.iota(places, last), builder.number(0, DType::i64));
  // One candidate a place: a maximum finds it among neutral elements.
  const int candidates = builder.expand(builder.insert_dim(x, last - 1), places);
  const int value = builder.select(here, candidates, builder.neutral(Reduction::max, builder.dtype(x)));
  const Sorted sorted = {builder.reduce(Reduction::max, value, {last}, false),
                         builder.reduce(Reduction::sum, index, {last}, false)};
  builder.graph().sorted.push_back({x, sorted.values, sorted.indices, order.descending, order.stable});
  return sorted;
}

// Along `dim`; bools go through a type that has a maximum.
Sorted sorted_along(Builder& builder, int x, int dim, int64_t count, const Order& order) {
  const DType dtype = builder.dtype(x);
  const int last = builder.rank(x) - 1;
  if (dtype == DType::boolean) x = builder.cast(x, DType::u8);
  std::vector<int64_t> axes(builder.rank(x));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[dim], axes[last]);  // its own inverse
  const Sorted sorted = first_sorted(builder, builder.permute(x, axes), count, order);
  return {builder.cast(builder.permute(sorted.values, axes), dtype), builder.permute(sorted.indices, axes)};
}

Sorted sorted_self(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  if (rank_of(self) == 0) return {x, builder.number(0, DType::i64)};
  const int dim = call.dim("dim", rank_of(self));
  return sorted_along(
      builder, x, dim, self.type.sizes[dim],
      {call.boolean("descending"), call.has("stable") && call.given("stable") && call.boolean("stable")});
}

Lowered lower_sort(Builder& builder, const BoundCall& call) {
  const Sorted sorted = sorted_self(builder, call);
  const Sizes strides = preserved_strides(call.type("self"));
  return {builder.fresh(sorted.values, strides), builder.fresh(sorted.indices, strides)};
}

Lowered lower_argsort(Builder& builder, const BoundCall& call) {
  return {builder.fresh(sorted_self(builder, call).indices, preserved_strides(call.type("self")))};
}

Lowered lower_topk(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (!call.boolean("sorted")) call.reject("an order that is not promised");
  if (rank_of(self) == 0) call.reject("a tensor without dims");
  const int dim = call.dim("dim", rank_of(self));
  const int64_t count = call.integer("k");
  if (count < 0 || count > self.type.sizes[dim]) call.reject("more elements than there are");
  const Sorted sorted = sorted_along(builder, builder.read(self), dim, count, {.descending = call.boolean("largest")});
  return {builder.fresh(sorted.values), builder.fresh(sorted.indices)};
}

constexpr std::string_view kSortSamples[] = {
    "def f(x: f32[65]): v, i = aten.sort(x); return v, i",
    "def f(x: f16[3,5]{stride=1,3}): v, i = aten.sort(x, 0, True); return v, i",
    "def f(x: i32[3,7]): v, i = aten.sort.stable(x, stable = True, dim = 1, descending = True); return v, i; "
    "call f(x = integers(0,3,1))",
    "def f(x: f32[8]): v, i = aten.sort.stable(x, stable = True); u, j = aten.sort.stable(x, stable = True, "
    "descending = True); return v, i, u, j; call f(x = values(2.0, nan, -1.0, inf, 2.0, -inf, nan, -0.0))",
    "def f(x: bool[9]): v, i = aten.sort.stable(x, stable = True); return v, i",
};
constexpr std::string_view kArgsortSamples[] = {
    "def f(x: f32[65]): i = aten.argsort(x); return i",
    "def f(x: f16[3,5]{stride=1,3}): i = aten.argsort(x, 0, True); return i",
};
constexpr std::string_view kTopkSamples[] = {
    "def f(x: f32[65]): v, i = aten.topk(x, 7); return v, i",
    "def f(x: f16[3,5]{stride=1,3}): v, i = aten.topk(x, 2, 0, False); return v, i",
    "def f(x: f32[3,5]): v, i = aten.topk(x, 0); return v, i",
};

}  // namespace

#define ORDER(name, text, lowering, test) \
  constinit const OpRow op_##name{        \
      .id = #name, .summary = text, .family = OpFamily::movement, .lower = lowering, .samples = test};

ORDER(sort, "a dim in order, and where its elements came from", lower_sort, kSortSamples)
ORDER(argsort, "where the elements of a sorted dim come from", lower_argsort, kArgsortSamples)
ORDER(topk, "the largest or smallest of a dim, in order", lower_topk, kTopkSamples)

#undef ORDER

}  // namespace faultline
