// Elements chosen by tensors of integers. A mask of bools chooses as many as it holds, which no graph of fixed sizes
// can say: rejected. Numbers out of range are the program's error; eager raises, the prim gives poison.
#include <algorithm>

#include "runtime/layers/decompose/chosen_indices.h"
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

Lowered lower_embedding(Builder& builder, const BoundCall& call) {
  const TensorValue& weight = call.tensor("weight");
  if (rank_of(weight) != 2) call.reject("a weight that is no matrix");
  const int indices = read_indices(builder, call, call.tensor("indices"));
  return {builder.fresh(builder.gather(builder.read(weight), indices, 0))};
}

Lowered lower_index_select(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &index = call.tensor("index");
  if (rank_of(self) == 0 || rank_of(index) > 1) call.reject("an index of several dims, or nothing to choose from");
  int indices = read_indices(builder, call, index);
  if (rank_of(index) == 0) indices = builder.reshape(indices, {1});
  return {builder.fresh(builder.gather(builder.read(self), indices, call.dim("dim", rank_of(self))))};
}

// The position, in row-major order of `sizes`, of the elements whose coordinate in `dim` is given and whose others are
// their own in `index`.
int flat_positions(Builder& builder, int index, const Sizes& sizes, int dim) {
  const Sizes strides = contiguous_strides(sizes);
  int position = -1;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    const int coordinate = d == dim ? index : builder.iota(builder.sizes(index), d);
    const int part = builder.with(Function::mul, coordinate, static_cast<double>(strides[d]));
    position = position < 0 ? part : builder.apply(Function::add, {position, part});
  }
  return position;
}

Lowered lower_gather(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &index = call.tensor("index");
  if (rank_of(self) == 0 || rank_of(index) != rank_of(self)) call.reject("an index of another rank");
  const int dim = call.dim("dim", rank_of(self));
  for (int d = 0; d < rank_of(self); ++d)
    if (d != dim && index.type.sizes[d] > self.type.sizes[d]) call.reject("an index larger than the tensor");
  const int positions = flat_positions(builder, read_indices(builder, call, index), self.type.sizes, dim);
  const int flat = builder.reshape(builder.read(self), {element_count(self.type.sizes)});
  return {builder.fresh(builder.gather(flat, positions, 0))};
}

// Indices into the elements in row-major order; negative ones count from the end.
Lowered lower_take(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int64_t count = element_count(self.type.sizes);
  const int index = wrapped(builder, read_indices(builder, call, call.tensor("index")), count);
  return {builder.fresh(builder.gather(builder.reshape(builder.read(self), {count}), index, 0))};
}

// As gather, but both broadcast in the other dims; without a dim as take.
Lowered lower_take_along_dim(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  int index = read_indices(builder, call, call.tensor("indices")), x = builder.read(self);
  if (!call.given("dim")) {
    const int64_t count = element_count(self.type.sizes);
    const Sizes flat = {element_count(builder.sizes(index))};
    return {builder.fresh(builder.gather(builder.reshape(x, {count}), builder.reshape(index, flat), 0))};
  }
  if (rank_of(self) == 0 || builder.rank(index) != rank_of(self)) call.reject("an index of another rank");
  const int dim = call.dim("dim", rank_of(self));
  Sizes own = self.type.sizes, wanted = builder.sizes(index);
  own[dim] = wanted[dim] = 1;
  Sizes from = broadcast_sizes(own, wanted), to = from;
  from[dim] = self.type.sizes[dim];
  to[dim] = builder.size(index, dim);
  const int positions = flat_positions(builder, builder.expand(index, to), from, dim);
  const int flat = builder.reshape(builder.expand(x, from), {element_count(from)});
  return {builder.fresh(builder.gather(flat, positions, 0))};
}

Lowered lower_index(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const Chosen chosen = chosen_by(call, rank_of(self));
  const int position = flat_place(builder, call, self.type, chosen);
  std::vector<int64_t> axes = chosen.dims;
  Sizes left, flat = {indexed_places(self.type, chosen)};
  for (int d = 0; d < rank_of(self); ++d) {
    if (std::binary_search(chosen.dims.begin(), chosen.dims.end(), d)) continue;
    axes.push_back(d);
    left.push_back(self.type.sizes[d]);
  }
  // The indexed dims in front, as one; then `common`, which came out in front, to its place.
  flat.insert(flat.end(), left.begin(), left.end());
  const int rows = builder.reshape(builder.permute(builder.read(self), axes), flat);
  const int gathered = builder.gather(rows, position, 0);
  std::vector<int64_t> common_axes(chosen.common.size()), left_axes(left.size());
  for (size_t d = 0; d < common_axes.size(); ++d) common_axes[d] = static_cast<int64_t>(d);
  for (size_t d = 0; d < left_axes.size(); ++d) left_axes[d] = static_cast<int64_t>(common_axes.size() + d);
  const int node = builder.permute(gathered, around(left_axes, chosen, common_axes));
  return {builder.fresh(
      node, pointwise_strides(builder.sizes(node), indexed_operands(self.type, chosen, builder.sizes(node))))};
}

constexpr std::string_view kEmbeddingSamples[] = {
    "def f(w: f32[9,65], i: i64[3,2]): y = aten.embedding(w, i); return y; call f(i = integers(0,9,1))",
    "def f(w: f16[7,3]{stride=1,7}, i: i32[5]): y = aten.embedding(w, i, 0); return y; call f(i = integers(0,7,1))",
};
constexpr std::string_view kIndexSelectSamples[] = {
    "def f(x: f32[9,65], i: i64[3]): y = aten.index_select(x, 0, i); return y; call f(i = integers(0,9,1))",
    "def f(x: f16[7,3]{stride=1,7}, i: i32[5]): y = aten.index_select(x, -1, i); return y; "
    "call f(i = integers(0,3,1))",
    "def f(x: i32[7], i: i64[]): y = aten.index_select(x, 0, i); return y; call f(i = integers(0,7,1))",
};
constexpr std::string_view kGatherSamples[] = {
    "def f(x: f32[9,65], i: i64[3,2]): y = aten.gather(x, 0, i); return y; call f(i = integers(0,9,1))",
    "def f(x: f16[7,3]{stride=1,7}, i: i64[7,5]): y = aten.gather(x, 1, i); return y; call f(i = integers(0,3,1))",
};
constexpr std::string_view kTakeSamples[] = {
    "def f(x: f32[9,65], i: i64[3,2]): y = aten.take(x, i); return y; call f(i = integers(-585,585,1))",
    "def f(x: f16[7,3]{stride=1,7}, i: i64[2,5]{stride=1,2}): y = aten.take(x, i); return y; "
    "call f(i = integers(0,21,1))",
};
constexpr std::string_view kTakeAlongSamples[] = {
    "def f(x: f32[9,5], i: i64[1,7]): y = aten.take_along_dim(x, i, 1); return y; call f(i = integers(0,5,1))",
    "def f(x: f16[1,3]{stride=1,7}, i: i64[2,5]): y = aten.take_along_dim(x, i, 1); return y; "
    "call f(i = integers(0,3,1))",
    "def f(x: f32[3,5], i: i64[2,2]): y = aten.take_along_dim(x, i); return y; call f(i = integers(0,15,1))",
};
constexpr std::string_view kIndexSamples[] = {
    "def f(x: f32[9,65], i: i64[3]): y = aten.index.Tensor(x, [i]); return y; call f(i = integers(-9,9,1))",
    "def f(x: f16[7,3]{stride=1,7}, i: i64[2,5]): y = aten.index.Tensor(x, [None, i]); return y; "
    "call f(i = integers(-3,3,1))",
    "def f(x: f32[1,9,7]{stride=9,1,9}, i: i64[3]): y = aten.index.Tensor(x, [None, i]); return y; "
    "call f(i = integers(-9,9,1))",
    "def f(x: f32[5,7], i: i64[2,1], j: i64[3]): y = aten.index.Tensor(x, [i, j]); return y; "
    "call f(i = integers(-5,5,1), j = integers(-7,7,1))",
    "def f(x: f32[2,3,4,5]{stride=60,1,15,3}, i: i64[2], j: i64[2]): y = aten.index.Tensor(x, [i, None, j]); return y; "
    "call f(i = integers(0,2,1), j = integers(0,4,1))",
    "def f(x: f32[4,5,6], i: i64[2,3]{stride=1,2}): y = aten.index.Tensor(x, [None, i, None]); return y; "
    "call f(i = integers(0,5,1))",
};

}  // namespace

#define INDEXING(name, text, lowering, test) \
  constinit const OpRow op_##name{           \
      .id = #name, .summary = text, .family = OpFamily::indexing, .lower = lowering, .samples = test};

INDEXING(embedding, "rows of a table", lower_embedding, kEmbeddingSamples)
INDEXING(index_select, "indices of one dim", lower_index_select, kIndexSelectSamples)
INDEXING(gather, "one index of a dim for each element", lower_gather, kGatherSamples)
INDEXING(take, "elements by their number", lower_take, kTakeSamples)
INDEXING(take_along_dim, "one index of a dim for each element, broadcast", lower_take_along_dim, kTakeAlongSamples)
INDEXING(index, "indices of several dims at once", lower_index, kIndexSamples)

#undef INDEXING

}  // namespace faultline
