// Updates of places that indices of several dims name, and of places that a mask names one after the other. Without
// `accumulate` the last of several values for one place wins, in the order in which eager's CPU iterates; torch
// promises no order there.
#include <algorithm>
#include <numeric>

#include "runtime/layers/decompose/chosen_indices.h"
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/updates.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

// A mask of self's first dims and one value: masked_fill. With more values than one the mask would have to be counted.
std::optional<int> put_by_mask(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &values = call.tensor("values");
  const auto indices = call.tensors("indices");
  const auto is_mask = [](const auto& index) { return index && index->type.dtype == DType::boolean; };
  if (std::none_of(indices.begin(), indices.end(), is_mask)) return std::nullopt;
  if (element_count(values.type.sizes) != 1) call.reject("the number of places of a mask depends on the data");
  const auto given = std::count_if(indices.begin(), indices.end(), [](const auto& index) { return index.has_value(); });
  const auto first = std::find_if(indices.begin(), indices.end(), is_mask) - indices.begin();
  if (given != 1) call.reject("a mask beside other indices");
  const TensorValue& mask = *indices[first];
  Sizes sizes(first, 1);
  sizes.insert(sizes.end(), mask.type.sizes.begin(), mask.type.sizes.end());
  if (sizes.size() > self.type.sizes.size()) call.reject("more indices than dims");
  sizes.resize(self.type.sizes.size(), 1);
  const int x = builder.read(self);
  int value = builder.reshape(builder.read(values), Sizes{});
  if (call.boolean("accumulate")) {
    const bool truth = self.type.dtype == DType::boolean;
    value = builder.apply(truth ? Function::bitwise_or : Function::add, {x, builder.expand(value, self.type.sizes)});
  }
  return builder.select(builder.expand(builder.reshape(builder.read(mask), sizes), self.type.sizes), value, x);
}

// The dims of `common` from the outermost to the innermost in eager's iteration.
std::vector<int64_t> iteration_order(const TensorType& self, const Chosen& chosen, const TensorType& values,
                                     const Sizes& sizes) {
  std::vector<TensorType> operands = indexed_operands(self, chosen, sizes);
  operands.insert(operands.begin() + 1, {values.dtype, sizes, expanded_strides(values, sizes), 0});
  const Sizes strides = pointwise_strides(sizes, operands);
  std::vector<int64_t> order(chosen.common.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[chosen.first + static_cast<size_t>(a)] > strides[chosen.first + static_cast<size_t>(b)];
  });
  return order;
}

// Self as [left..., places], the indices as [left..., K] in eager's order, and the values alike.
struct Put {
  int self;
  Updates updates;
  std::vector<int64_t> axes;  // of self: those left, then the indexed ones
  Sizes turned;               // self's sizes in that order
};

Put put_of(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &values = call.tensor("values");
  const Chosen chosen = chosen_by(call, rank_of(self));
  Put put;
  Sizes left;
  for (int d = 0; d < rank_of(self); ++d) {
    if (std::binary_search(chosen.dims.begin(), chosen.dims.end(), d)) continue;
    put.axes.push_back(d);
    left.push_back(self.type.sizes[d]);
  }
  put.axes.insert(put.axes.end(), chosen.dims.begin(), chosen.dims.end());
  for (const int64_t axis : put.axes) put.turned.push_back(self.type.sizes[axis]);
  const int64_t places = indexed_places(self.type, chosen), count = element_count(chosen.common);
  require_pairs(call, element_count(self.type.sizes), count);
  Sizes lines = left;
  lines.push_back(places);
  put.self = builder.reshape(builder.permute(builder.read(self), put.axes), lines);
  lines.back() = count;
  // Values have the sizes of the result of `index`: the common dims go behind those left, in eager's order.
  const Sizes sizes = around(left, chosen, chosen.common);
  std::vector<int64_t> order(chosen.common.size());
  std::iota(order.begin(), order.end(), 0);
  if (!call.boolean("accumulate")) order = iteration_order(self.type, chosen, values.type, sizes);
  std::vector<int64_t> axes;
  for (size_t d = 0; d < left.size(); ++d)
    axes.push_back(static_cast<int64_t>(d < chosen.first ? d : d + chosen.common.size()));
  for (const int64_t dim : order) axes.push_back(static_cast<int64_t>(chosen.first) + dim);
  const int source = builder.permute(builder.expand(builder.read(values), sizes), axes);
  const int index = builder.permute(flat_place(builder, call, self.type, chosen), order);
  put.updates = {builder.expand(builder.reshape(index, {count}), lines), builder.reshape(source, lines)};
  return put;
}

Lowered lower_index_put(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const Sizes strides = preserved_strides(self.type);
  if (call.type("values").dtype != self.type.dtype) call.reject("values of another dtype");
  if (const std::optional<int> masked = put_by_mask(builder, call)) return {builder.fresh(*masked, strides)};
  const Put put = put_of(builder, call);
  const int written = call.boolean("accumulate") ? combined(builder, Reduction::sum, put.self, put.updates, true)
                                                 : last_written(builder, put.self, put.updates);
  std::vector<int64_t> inverse(put.axes.size());
  for (size_t d = 0; d < put.axes.size(); ++d) inverse[put.axes[d]] = static_cast<int64_t>(d);
  return {builder.fresh(builder.permute(builder.reshape(written, put.turned), inverse), strides)};
}

// The n-th place whose mask is set takes the n-th element of the source.
Lowered lower_masked_scatter(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &mask = call.tensor("mask"), &source = call.tensor("source");
  if (mask.type.dtype != DType::boolean) call.reject("a mask that is not bool");
  if (source.type.dtype != self.type.dtype) call.reject("a source of another dtype");
  const Sizes sizes = broadcast_sizes(self.type.sizes, mask.type.sizes);
  const int64_t places = element_count(sizes), count = element_count(source.type.sizes);
  const int x = builder.expand(builder.read(self), sizes);
  if (count == 0 || places == 0) return {builder.fresh(x)};
  require_pairs(call, places, places);
  const int chosen = builder.reshape(builder.expand(builder.read(mask), sizes), {places});
  const int rank = scanned(builder, Reduction::sum, builder.cast(chosen, DType::i64), true);
  const int at = builder.with(Function::minimum, rank, static_cast<double>(count - 1));
  const int taken = builder.gather(builder.reshape(builder.read(source), {count}), at, 0);
  return {builder.fresh(builder.select(builder.reshape(chosen, sizes), builder.reshape(taken, sizes), x))};
}

// What flows into the rows of a table: those that an index chose more than once get the sum.
Lowered lower_embedding_dense_backward(Builder& builder, const BoundCall& call) {
  const TensorValue &gradient = call.tensor("grad_output"), &indices = call.tensor("indices");
  if (!is_float(gradient.type.dtype)) call.reject("gradients that are no floats");
  const int64_t rows = call.integer("num_weights"), padding = call.integer("padding_idx");
  const int64_t count = element_count(indices.type.sizes);
  if (rank_of(gradient) != rank_of(indices) + 1) call.reject("gradients of another rank");
  const int64_t width = gradient.type.sizes.back();
  if (count == 0) return {builder.fresh(builder.number(0, gradient.type.dtype, {rows, width}))};
  require_pairs(call, rows * width, count);
  int index = builder.reshape(read_indices(builder, call, indices), {count});
  if (padding >= 0) {
    const int pads = builder.with(Function::equal, index, static_cast<double>(padding));
    index = builder.select(pads, builder.number(-1, DType::i64), index);
  }
  const int values = builder.transpose(builder.reshape(builder.read(gradient), {count, width}), 0, 1);
  int total = update_sum(builder, {builder.expand(index, {width, count}), values}, rows);
  if (call.boolean("scale_grad_by_freq")) {
    const int times = builder.with(Function::maximum, update_count(builder, index, rows), 1);
    total = builder.apply(Function::div, {total, builder.cast(times, gradient.type.dtype)});
  }
  return {builder.fresh(builder.transpose(total, 0, 1))};
}

constexpr std::string_view kIndexPutSamples[] = {
    "def f(x: f32[9,33], i: i64[5], v: f32[5,33]): y = aten.index_put(x, [i], v); return y; "
    "call f(i = integers(-9,9,1))",
    "def f(x: f16[7,5]{stride=1,7}, i: i64[2,3], v: f16[7,2,3]): y = aten.index_put(x, [None, i], v, True); return y; "
    "call f(i = integers(-5,5,1))",
    "def f(x: bf16[5,7], i: i64[2,1], j: i64[3], v: bf16[3]): y = aten.index_put_(x, [i, j], v, True); return x; "
    "call f(i = integers(-2,2,1), j = integers(-7,7,1))",
    "def f(x: f32[2,3,4,5]{stride=60,1,15,3}, i: i64[4], j: i64[4], v: f32[4,3,5]): "
    "y = aten.index_put(x, [i, None, j], v); return y; call f(i = integers(0,2,1), j = integers(0,4,1))",
    "def f(x: i64[5], i: i64[3,4]{stride=1,3}, v: i64[3,4]): y = aten.index_put(x, [i], v); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: i64[5], i: i64[3,4]{stride=1,3}, v: i64[]): y = aten.index_put(x, [i], v, True); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: i64[5], i: i64[3,4]{stride=1,3}, v: i64[3,4]{stride=1,3}): y = aten.index_put(x, [i], v); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: bool[5], i: i64[3], v: bool[3]): y = aten.index_put(x, [i], v, True); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: f32[3,5], m: bool[3,5], v: f32[]): y = aten.index_put(x, [m], v); z = aten.index_put(x, [m], v, True); "
    "return y, z",
    "def f(x: f32[3,5], m: bool[5], v: f32[1]): y = aten.index_put_(x, [None, m], v); return x",
    "def f(x: f32[3], i: i64[0], v: f32[]): y = aten.index_put(x, [i], v); return y",
};
constexpr std::string_view kMaskedScatterSamples[] = {
    "def f(x: f32[3,33], m: bool[3,33], s: f32[99]): y = aten.masked_scatter(x, m, s); return y",
    "def f(x: f16[7,5]{stride=1,7}, m: bool[5], s: f16[5,7]{stride=1,5}): y = aten.masked_scatter(x, m, s); return y",
    "def f(x: i64[5], m: bool[3,5], s: i64[20]): y = aten.masked_scatter(x, m, s); return y",
    "def f(x: bf16[3,5]{stride=1,3}, m: bool[3,5], s: bf16[15]): y = aten.masked_scatter_(x, m, s); return x",
};
constexpr std::string_view kEmbeddingBackwardSamples[] = {
    "def f(g: f32[4,5,7], i: i64[4,5]): y = aten.embedding_dense_backward(g, i, 9, 2, False); return y; "
    "call f(i = integers(0,9,1))",
    "def f(g: f16[33,7]{stride=1,33}, i: i64[33]): y = aten.embedding_dense_backward(g, i, 5, -1, False); "
    "z = aten.embedding_dense_backward(g, i, 5, -1, True); return y, z; call f(i = integers(0,5,1))",
    "def f(g: bf16[5], i: i64[]): y = aten.embedding_dense_backward(g, i, 3, -1, True); return y; "
    "call f(i = integers(0,3,1))",
};

}  // namespace

constinit const OpRow op_index_put{.id = "index_put",
                                   .summary = "places by indices of several dims, overwritten or added to",
                                   .family = OpFamily::indexing,
                                   .lower = lower_index_put,
                                   .own_type_sums = true,
                                   .samples = kIndexPutSamples};
constinit const OpRow op_masked_scatter{.id = "masked_scatter",
                                        .summary = "the places of a mask filled one after the other",
                                        .family = OpFamily::indexing,
                                        .lower = lower_masked_scatter,
                                        .samples = kMaskedScatterSamples};
constinit const OpRow op_embedding_dense_backward{.id = "embedding_dense_backward",
                                                  .summary = "sums of gradients by row of a table",
                                                  .family = OpFamily::indexing,
                                                  .lower = lower_embedding_dense_backward,
                                                  .own_type_sums = true,
                                                  .samples = kEmbeddingBackwardSamples};

}  // namespace faultline
