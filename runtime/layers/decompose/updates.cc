// Pairs of a place and an update: [..., n, K], reduced over K.
#include "runtime/layers/decompose/updates.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace faultline {
namespace {

Sizes pair_sizes(Builder& builder, int index, int64_t places) {
  Sizes sizes = builder.sizes(index);
  sizes.insert(sizes.end() - 1, places);
  return sizes;
}

// Something that each update has, at every pair.
int by_update(Builder& builder, int node, const Sizes& pairs) {
  return builder.expand(builder.insert_dim(node, builder.rank(node) - 1), pairs);
}

// Something that each place has, at every pair.
int by_place(Builder& builder, int node, const Sizes& pairs) {
  return builder.expand(builder.insert_dim(node, builder.rank(node)), pairs);
}

int meant(Builder& builder, int index, const Sizes& pairs) {
  const int place = builder.iota(pairs, static_cast<int>(pairs.size()) - 2);
  return builder.apply(Function::equal, {by_update(builder, index, pairs), place});
}

int over_updates(Builder& builder, Reduction reduction, int pairs) {
  return builder.reduce(reduction, pairs, {builder.rank(pairs) - 1}, false);
}

Reduction of_bools(Reduction reduction) {
  const bool some = reduction == Reduction::sum || reduction == Reduction::max;
  return some ? Reduction::any : Reduction::all;
}

// One more in front of the last dim.
int after(Builder& builder, int node, const Literal& first) {
  std::vector<int64_t> low(builder.rank(node), 0);
  Sizes sizes = builder.sizes(node);
  low.back() = 1;
  ++sizes.back();
  return builder.pad(node, low, sizes, first);
}

// The elements of `values` [..., K] at `positions` [..., n] of its last dim.
int chosen(Builder& builder, int values, int positions) {
  const Sizes sizes = builder.sizes(values), wanted = builder.sizes(positions);
  const int64_t width = sizes.back(), rows = element_count(Sizes(sizes.begin(), sizes.end() - 1));
  const int flat = builder.reshape(positions, {rows, wanted.back()});
  const int start = builder.with(Function::mul, builder.iota({rows, wanted.back()}, 0), static_cast<double>(width));
  const int at = builder.apply(Function::add, {start, flat});
  return builder.reshape(builder.gather(builder.reshape(values, {rows * width}), at, 0), wanted);
}

}  // namespace

int is_updated(Builder& builder, int index, int64_t places) {
  return over_updates(builder, Reduction::any, meant(builder, index, pair_sizes(builder, index, places)));
}

int update_count(Builder& builder, int index, int64_t places) {
  const int pairs = meant(builder, index, pair_sizes(builder, index, places));
  return over_updates(builder, Reduction::sum, builder.cast(pairs, DType::i64));
}

int last_written(Builder& builder, int self, const Updates& updates) {
  if (builder.sizes(updates.index).back() == 0) return self;
  const Sizes pairs = pair_sizes(builder, updates.index, builder.sizes(self).back());
  const int number = builder.iota(pairs, static_cast<int>(pairs.size()) - 1);
  const int here = meant(builder, updates.index, pairs);
  const int last = over_updates(builder, Reduction::max, builder.select(here, number, builder.number(-1, DType::i64)));
  const int value = chosen(builder, updates.values, builder.with(Function::maximum, last, 0));
  return builder.select(builder.with(Function::greater_equal, last, 0), value, self);
}

int combined(Builder& builder, Reduction reduction, int self, const Updates& updates, bool include_self) {
  if (builder.sizes(updates.index).back() == 0) return self;
  const DType dtype = builder.dtype(self);
  if (dtype == DType::boolean) reduction = of_bools(reduction);
  const Literal neutral = neutral_literal(reduction, dtype);
  const int64_t places = builder.sizes(self).back();
  int index = updates.index, values = updates.values;
  if (include_self) {
    index = after(builder, index, integer_literal(-1, DType::i64));
    values = after(builder, values, neutral);
  }
  const Sizes pairs = pair_sizes(builder, index, places);
  int terms = builder.select(meant(builder, index, pairs), by_update(builder, values, pairs), builder.literal(neutral));
  if (include_self) {
    const int first = builder.with(Function::equal, builder.iota(pairs, static_cast<int>(pairs.size()) - 1), 0);
    terms = builder.select(first, by_place(builder, self, pairs), terms);
  }
  const int total = over_updates(builder, reduction, terms);
  return include_self ? total : builder.select(is_updated(builder, index, places), total, self);
}

int update_sum(Builder& builder, const Updates& updates, int64_t places) {
  const Sizes pairs = pair_sizes(builder, updates.index, places);
  const int zero = builder.number(0, builder.dtype(updates.values));
  const int values = by_update(builder, updates.values, pairs);
  return over_updates(builder, Reduction::sum, builder.select(meant(builder, updates.index, pairs), values, zero));
}

int scanned(Builder& builder, Reduction reduction, int x, bool exclusive) {
  Sizes pairs = builder.sizes(x);
  pairs.push_back(pairs.back());
  const int last = static_cast<int>(pairs.size()) - 1;
  const int own = builder.iota(pairs, last - 1), other = builder.iota(pairs, last);
  const int before = builder.apply(exclusive ? Function::less : Function::less_equal, {other, own});
  const int values = by_update(builder, x, pairs);
  const int neutral = builder.neutral(reduction, builder.dtype(x));
  return over_updates(builder, reduction, builder.select(before, values, neutral));
}

int with_last(Builder& builder, int node, int dim) {
  std::vector<int64_t> axes(builder.rank(node));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[dim], axes.back());
  return dim == builder.rank(node) - 1 ? node : builder.permute(node, axes);
}

void require_pairs(const BoundCall& call, int64_t places, int64_t updates) {
  constexpr int64_t kPairsMax = int64_t{1} << 24;
  if (updates > 0 && places > kPairsMax / updates)
    call.reject(fmt::format("compares {} places with {} updates each, more than {} pairs", places, updates, kPairsMax));
}

}  // namespace faultline
