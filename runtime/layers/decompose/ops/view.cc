// Views: results share the storage of their operand. Where eager copies instead (reshape of a tensor whose strides do
// not allow), so does the row.
#include <algorithm>
#include <numeric>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/strided_path.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

int rank_of(const TensorValue& tensor) { return static_cast<int>(tensor.type.sizes.size()); }

Sizes sizes_argument(const BoundCall& call, std::string_view argument) {
  const auto sizes = inferred_sizes(call.integers(argument), element_count(call.type("self").sizes));
  if (!sizes) call.reject("the sizes do not fit the number of elements");
  return *sizes;
}

Lowered lower_view(Builder& builder, const BoundCall& call) {
  if (!call.has("size")) call.reject("a view in another dtype");
  const auto view = viewed(builder, call.tensor("self"), sizes_argument(call, "size"));
  if (!view) call.reject("the strides do not allow a view in these sizes");
  return {*view};
}

// A result nobody else holds, so that it needs no view of its operand.
Lowered lower_unsafe_view(Builder& builder, const BoundCall& call) {
  const auto view = viewed(builder, call.tensor("self"), sizes_argument(call, "size"));
  if (!view) call.reject("the strides do not allow a view in these sizes");
  return {*view};
}

Lowered lower_reshape(Builder& builder, const BoundCall& call) {
  return {reshaped(builder, call.tensor("self"), sizes_argument(call, call.has("shape") ? "shape" : "size"))};
}

Lowered lower_reshape_as(Builder& builder, const BoundCall& call) {
  const Sizes& sizes = call.type("other").sizes;
  if (element_count(sizes) != element_count(call.type("self").sizes)) call.reject("the sizes do not fit");
  return {reshaped(builder, call.tensor("self"), sizes)};
}

Lowered lower_permute(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  std::vector<int64_t> axes = call.integers("dims"), seen;
  for (int64_t& axis : axes) seen.push_back(axis = wrap_dim(axis, rank_of(self)));
  std::sort(seen.begin(), seen.end());
  for (int d = 0; d < static_cast<int>(seen.size()); ++d)
    if (seen[d] != d || static_cast<int>(seen.size()) != rank_of(self)) call.reject("dims are no permutation");
  return {permuted(builder, self, axes)};
}

Lowered lower_transpose(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const bool named = call.has("dim0");
  return {transposed(builder, self, call.dim(named ? "dim0" : "axis0", rank_of(self)),
                     call.dim(named ? "dim1" : "axis1", rank_of(self)))};
}

Lowered lower_t(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) > 2) call.reject("a tensor of more than 2 dims");
  return {rank_of(self) < 2 ? self : transposed(builder, self, 0, 1)};
}

Lowered lower_reversed(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  std::vector<int64_t> axes(rank_of(self));
  std::iota(axes.rbegin(), axes.rend(), 0);
  return {permuted(builder, self, axes)};
}

Lowered lower_matrix_transpose(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) < 2) call.reject("a tensor of less than 2 dims");
  return {transposed(builder, self, rank_of(self) - 2, rank_of(self) - 1)};
}

Lowered lower_movedim(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int rank = rank_of(self);
  const std::vector<int64_t> source = call.integers("source"), destination = call.integers("destination");
  if (source.size() != destination.size()) call.reject("source and destination differ in length");
  std::vector<int64_t> axes(rank, -1);
  std::vector<bool> moved(rank, false);
  for (size_t k = 0; k < source.size(); ++k) {
    const int from = wrap_dim(source[k], rank), to = wrap_dim(destination[k], rank);
    if (from < 0 || to < 0 || rank == 0 || axes[to] >= 0 || moved[from]) call.reject("dims out of range or repeated");
    axes[to] = from;
    moved[from] = true;
  }
  int next = 0;
  for (int64_t& axis : axes) {
    if (axis >= 0) continue;
    while (moved[next]) ++next;
    axis = next++;
  }
  return {permuted(builder, self, axes)};
}

Lowered lower_expand_to(Builder& builder, const BoundCall& call, Sizes sizes) {
  const TensorValue& self = call.tensor("self");
  if (sizes.size() < self.type.sizes.size()) call.reject("fewer sizes than dims");
  const size_t added = sizes.size() - self.type.sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && d >= added) sizes[d] = self.type.sizes[d - added];
    if (sizes[d] < 0 || (d >= added && self.type.sizes[d - added] != 1 && self.type.sizes[d - added] != sizes[d]))
      call.reject("the tensor does not expand to these sizes");
  }
  return {expanded(builder, self, sizes)};
}

Lowered lower_expand(Builder& builder, const BoundCall& call) {
  return lower_expand_to(builder, call, call.integers("size"));
}
Lowered lower_expand_as(Builder& builder, const BoundCall& call) {
  return lower_expand_to(builder, call, call.type("other").sizes);
}

Lowered lower_slice(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int dim = call.dim("dim", rank_of(self));
  if (rank_of(self) == 0) call.reject("a tensor without dims");
  const int64_t size = self.type.sizes[dim], step = call.integer("step");
  if (step <= 0) call.reject("a step that is not positive");
  const auto bound = [&](std::string_view argument, int64_t absent) {
    const int64_t value = call.given(argument) ? call.integer(argument) : absent;
    return std::clamp<int64_t>(value < 0 ? value + size : value, 0, size);
  };
  const int64_t start = bound("start", 0), end = std::max(start, bound("end", size));
  return {sliced(builder, self, dim, start, (end - start + step - 1) / step, step)};
}

int64_t index_argument(const BoundCall& call, int64_t value, int64_t size) {
  if (value < -size || value >= size) call.reject("an index out of range");
  return value < 0 ? value + size : value;
}

Lowered lower_select(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) == 0) call.reject("a tensor without dims");
  const int dim = call.dim("dim", rank_of(self));
  return {selected(builder, self, dim, index_argument(call, call.integer("index"), self.type.sizes[dim]))};
}

Lowered lower_narrow(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) == 0) call.reject("a tensor without dims");
  const int dim = call.dim("dim", rank_of(self));
  const int64_t size = self.type.sizes[dim], length = call.integer("length");
  int64_t start = call.integer("start");
  if (start < 0) start += size;
  if (start < 0 || length < 0 || start + length > size) call.reject("a range outside the dim");
  return {sliced(builder, self, dim, start, length, 1)};
}

Lowered in_pieces(Builder& builder, const BoundCall& call, const std::vector<int64_t>& counts) {
  const TensorValue& self = call.tensor("self");
  const int dim = call.dim("dim", rank_of(self));
  Lowered pieces;
  int64_t start = 0;
  for (const int64_t count : counts) {
    pieces.push_back(sliced(builder, self, dim, start, count, 1));
    start += count;
  }
  if (start != self.type.sizes[dim]) call.reject("the pieces do not add up to the dim");
  return pieces;
}

Lowered equal_pieces(Builder& builder, const BoundCall& call, int64_t piece) {
  const TensorValue& self = call.tensor("self");
  const int64_t size = self.type.sizes[call.dim("dim", rank_of(self))];
  std::vector<int64_t> counts;
  for (int64_t start = 0; start < size; start += piece) counts.push_back(std::min(piece, size - start));
  if (counts.empty()) counts.push_back(0);
  return in_pieces(builder, call, counts);
}

Lowered lower_split(Builder& builder, const BoundCall& call) {
  if (rank_of(call.tensor("self")) == 0) call.reject("a tensor without dims");
  if (!call.has("split_size")) return in_pieces(builder, call, call.integers("split_sizes"));
  const int64_t piece = call.integer("split_size");
  if (piece <= 0) call.reject("a piece that is not positive");
  return equal_pieces(builder, call, piece);
}

Lowered lower_chunk(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) == 0) call.reject("a tensor without dims");
  const int64_t chunks = call.integer("chunks"), size = self.type.sizes[call.dim("dim", rank_of(self))];
  if (chunks <= 0) call.reject("a count that is not positive");
  if (size == 0) return in_pieces(builder, call, std::vector<int64_t>(chunks, 0));
  return equal_pieces(builder, call, (size + chunks - 1) / chunks);
}

Lowered lower_unbind(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) == 0) call.reject("a tensor without dims");
  const int dim = call.dim("dim", rank_of(self));
  Lowered pieces;
  for (int64_t k = 0; k < self.type.sizes[dim]; ++k) pieces.push_back(selected(builder, self, dim, k));
  return pieces;
}

Lowered lower_unsqueeze(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  return {with_dim(builder, self, call.dim("dim", rank_of(self) + 1))};
}

Lowered lower_squeeze(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  std::vector<int64_t> dims(rank_of(self)), gone;
  std::iota(dims.begin(), dims.end(), 0);
  if (call.has("dim")) dims = call.dims("dim", rank_of(self), false);
  for (const int64_t dim : dims)
    if (self.type.sizes[dim] == 1) gone.push_back(dim);
  return {gone.empty() ? self : without_dims(builder, self, gone)};
}

Lowered lower_flatten(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) == 0) return {reshaped(builder, self, {1})};
  const int first = call.dim("start_dim", rank_of(self)), last = call.dim("end_dim", rank_of(self));
  if (first > last) call.reject("the dims are in the wrong order");
  if (first == last) return {self};
  Sizes sizes(self.type.sizes.begin(), self.type.sizes.begin() + first);
  sizes.push_back(element_count(Sizes(self.type.sizes.begin() + first, self.type.sizes.begin() + last + 1)));
  sizes.insert(sizes.end(), self.type.sizes.begin() + last + 1, self.type.sizes.end());
  return {reshaped(builder, self, sizes)};
}

Lowered lower_unflatten(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (rank_of(self) == 0) call.reject("a tensor without dims");
  const int dim = call.dim("dim", rank_of(self));
  const auto inner = inferred_sizes(call.integers("sizes"), self.type.sizes[dim]);
  if (!inner) call.reject("the sizes do not fit the dim");
  Sizes sizes(self.type.sizes.begin(), self.type.sizes.begin() + dim);
  sizes.insert(sizes.end(), inner->begin(), inner->end());
  sizes.insert(sizes.end(), self.type.sizes.begin() + dim + 1, self.type.sizes.end());
  const auto view = viewed(builder, self, sizes);
  if (!view) call.reject("the strides do not allow a view in these sizes");
  return {*view};
}

// The two dims go, the diagonal stands last. In row-major order of the matrix it is a slice with the step columns + 1.
Lowered lower_diagonal(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int rank = rank_of(self);
  if (rank < 2) call.reject("a tensor of less than 2 dims");
  const int first = call.dim("dim1", rank), second = call.dim("dim2", rank);
  if (first == second) call.reject("one dim given twice");
  const int64_t offset = call.integer("offset"), rows = self.type.sizes[first], columns = self.type.sizes[second];
  const int64_t count =
      std::max<int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  std::vector<int64_t> axes;
  TensorType type{self.type.dtype, {}, {}, self.type.offset};
  for (int d = 0; d < rank; ++d) {
    if (d == first || d == second) continue;
    axes.push_back(d);
    type.sizes.push_back(self.type.sizes[d]);
    type.strides.push_back(self.type.strides[d]);
  }
  axes.push_back(first);
  axes.push_back(second);
  const ViewStep to_back = permute_step(self.type.sizes, axes);
  Sizes flat = type.sizes;
  flat.push_back(rows * columns);
  const int64_t start = count == 0 ? 0 : offset >= 0 ? offset : -offset * columns;
  if (count > 0) type.offset += offset >= 0 ? offset * self.type.strides[second] : -offset * self.type.strides[first];
  type.sizes.push_back(count);
  type.strides.push_back(self.type.strides[first] + self.type.strides[second]);
  return {builder.view(
      self, {to_back, reshape_step(to_back.to, flat), slice_step(flat, rank - 2, start, count, columns + 1)}, type)};
}

Lowered lower_as_strided(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const Storage& storage = builder.storages()[self.storage];
  TensorType window{self.type.dtype, call.integers("size"), call.integers("stride"), self.type.offset};
  if (call.given("storage_offset")) window.offset = call.integer("storage_offset");
  if (window.sizes.size() != window.strides.size()) call.reject("sizes and strides differ in length");
  const auto path = strided_path(storage.base, window);
  if (!path) call.reject("a window that overlaps itself, or leaves the tensor that holds the storage");
  TensorValue base = self;
  base.path.clear();
  base.type = storage.base;
  return {builder.view(base, *path, window)};
}

#define WRITTEN "; w = aten.mul_.Scalar(y, 2.0); return y"
constexpr std::string_view kViewSamples[] = {
    "def f(x: f32[65]): y = aten.view(x, [5, -1])" WRITTEN,
    "def f(x: f16[3,5,7]{stride=35,7,1}): y = aten.view(x, [15, 1, 7])" WRITTEN,
    "def f(x: i32[3,5,7]{stride=7,21,1}): y = aten.view(x, [3, 5, 7, 1]); return y",
};
constexpr std::string_view kUnsafeViewSamples[] = {
    "def f(x: f32[65]): y = aten._unsafe_view(x, [5, 13]); return y",
    "def f(x: f16[3,5]): y = aten._unsafe_view(x, [-1]); return y",
};
constexpr std::string_view kReshapeSamples[] = {
    "def f(x: f32[65]): y = aten.reshape(x, [5, -1])" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.reshape(x, [15])" WRITTEN,
    "def f(x: f32[0,3]): y = aten.reshape(x, [3, 0]); return y",
};
constexpr std::string_view kReshapeAsSamples[] = {
    "def f(x: f32[65], o: i32[5,13]): y = aten.reshape_as(x, o)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}, o: f16[15]): y = aten.view_as(x, o); return y",
};
constexpr std::string_view kPermuteSamples[] = {
    "def f(x: f32[3,5,7]): y = aten.permute(x, [2, 0, -2])" WRITTEN,
    "def f(x: f16[65,1]{stride=1,65}): y = aten.permute(x, [1, 0]); return y",
};
constexpr std::string_view kTransposeSamples[] = {
    "def f(x: f32[3,5,7]): y = aten.transpose.int(x, 0, -1)" WRITTEN,
    "def f(x: f16[65,2]): y = aten.transpose.int(x, 1, 0); return y",
};
constexpr std::string_view kTSamples[] = {
    "def f(x: f32[3,5]): y = aten.t(x)" WRITTEN,
    "def f(x: f16[65]): y = aten.t(x); return y",
};
constexpr std::string_view kReversedSamples[] = {
    "def f(x: f32[3,5]): y = aten.numpy_T(x)" WRITTEN,
    "def f(x: f16[65,2]): y = aten.numpy_T(x); return y",
};
constexpr std::string_view kMatrixTransposeSamples[] = {
    "def f(x: f32[2,3,5]): y = aten.mT(x)" WRITTEN,
    "def f(x: f16[65,2]): y = aten.mT(x); return y",
};
constexpr std::string_view kMovedimSamples[] = {
    "def f(x: f32[2,3,5]): y = aten.movedim.int(x, 0, -1)" WRITTEN,
    "def f(x: f16[2,3,5,7]): y = aten.movedim.intlist(x, [3, 0], [0, 1]); return y",
};
constexpr std::string_view kExpandSamples[] = {
    "def f(x: f32[65]): y = aten.expand(x, [3, 1, -1]); return y",
    "def f(x: f16[3,1]{stride=1,3}): y = aten.expand(x, [2, 3, 5]); return y",
    "def f(x: f16[3,5]): y = aten.expand(x, [1, 3, 5])" WRITTEN,
};
constexpr std::string_view kExpandAsSamples[] = {
    "def f(x: f32[5], o: f32[3,5]): y = aten.expand_as(x, o); return y",
    "def f(x: f16[3,1], o: f32[3,65]): y = aten.expand_as(x, o); return y",
};
constexpr std::string_view kSliceSamples[] = {
    "def f(x: f32[65]): y = aten.slice.Tensor(x, 0, 3, 60, 7)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.slice.Tensor(x, 1, -2, 9223372036854775807)" WRITTEN,
    "def f(x: i32[7]): y = aten.slice.Tensor(x, 0, 5, 2); return y",
};
constexpr std::string_view kSelectSamples[] = {
    "def f(x: f32[65]): y = aten.select.int(x, 0, 64)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.select.int(x, 1, -2)" WRITTEN,
};
constexpr std::string_view kNarrowSamples[] = {
    "def f(x: f32[65]): y = aten.narrow(x, 0, 1, 64)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.narrow(x, 1, -3, 2)" WRITTEN,
};
constexpr std::string_view kSplitSamples[] = {
    "def f(x: f32[65]): y, z, w = aten.split.Tensor(x, 32); v = aten.neg_(z); return y, w, z",
    "def f(x: f16[3,5]{stride=1,3}): y, z = aten.split_with_sizes(x, [1, 4], 1); return y, z",
};
constexpr std::string_view kChunkSamples[] = {
    "def f(x: f32[65]): y, z, w = aten.chunk(x, 3); v = aten.neg_(w); return y, w",
    "def f(x: f16[3,5]{stride=1,3}): y, z = aten.chunk(x, 2, 1); return y, z",
};
constexpr std::string_view kUnbindSamples[] = {
    "def f(x: f32[3,65]): y, z, w = aten.unbind.int(x); v = aten.neg_(w); return y, w",
    "def f(x: f16[5,2]{stride=1,5}): y, z = aten.unbind.int(x, 1); return y, z",
};
constexpr std::string_view kUnsqueezeSamples[] = {
    "def f(x: f32[65]): y = aten.unsqueeze(x, 0)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.unsqueeze(x, -1); return y",
};
constexpr std::string_view kSqueezeSamples[] = {
    "def f(x: f32[1,65,1]): y = aten.squeeze(x)" WRITTEN,
    "def f(x: f16[1,3,1,5]): y = aten.squeeze.dim(x, 2); return y",
    "def f(x: f16[1,3,1,5]): y = aten.squeeze.dims(x, [0, 1]); return y",
};
constexpr std::string_view kFlattenSamples[] = {
    "def f(x: f32[3,5,7]): y = aten.flatten.using_ints(x, 1)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.flatten.using_ints(x)" WRITTEN,
};
constexpr std::string_view kUnflattenSamples[] = {
    "def f(x: f32[65]): y = aten.unflatten.int(x, 0, [5, -1])" WRITTEN,
    "def f(x: f16[3,6]{stride=1,3}): y = aten.unflatten.int(x, 1, [2, 3]); return y",
};
constexpr std::string_view kDiagonalSamples[] = {
    "def f(x: f32[5,7]): y = aten.diagonal(x)" WRITTEN,
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.diagonal(x, -1, 2, 1)" WRITTEN,
    "def f(x: f32[5,7]): y = aten.diagonal(x, 9); return y",
};
constexpr std::string_view kAsStridedSamples[] = {
    "def f(x: f32[65]): y = aten.as_strided(x, [3, 4], [20, 2], 5)" WRITTEN,
    "def f(x: f16[4,6]{stride=1,4}): y = aten.as_strided(x, [6, 4], [4, 1])" WRITTEN,
    "def f(x: f32[12]): y = aten.as_strided(x, [2, 3, 2], [6, 0, 1]); return y",
};
#undef WRITTEN
constexpr std::string_view kUnsafeSplitNames[] = {"split_with_sizes", "unsafe_split", "unsafe_split_with_sizes"};
constexpr std::string_view kReshapeNames[] = {"_reshape_alias"};
constexpr std::string_view kReshapeAsNames[] = {"view_as"};
constexpr std::string_view kTransposeNames[] = {"swapaxes", "swapdims"};
constexpr std::string_view kMovedimNames[] = {"moveaxis"};
constexpr std::string_view kChunkNames[] = {"unsafe_chunk"};
constexpr std::string_view kReversedNames[] = {"T"};

}  // namespace

#define VIEW(name, text, names, lowering, test) \
  constinit const OpRow op_##name{              \
      .id = #name, .summary = text, .family = OpFamily::view, .synonyms = names, .lower = lowering, .samples = test};

VIEW(view, "other sizes for the same elements", {}, lower_view, kViewSamples)
VIEW(_unsafe_view, "a view that nobody writes through", {}, lower_unsafe_view, kUnsafeViewSamples)
VIEW(reshape, "a view in other sizes, or a copy", kReshapeNames, lower_reshape, kReshapeSamples)
VIEW(reshape_as, "reshape to another tensor's sizes", kReshapeAsNames, lower_reshape_as, kReshapeAsSamples)
VIEW(permute, "dims in another order", {}, lower_permute, kPermuteSamples)
VIEW(transpose, "two dims exchanged", kTransposeNames, lower_transpose, kTransposeSamples)
VIEW(t, "a matrix transposed", {}, lower_t, kTSamples)
VIEW(numpy_T, "all dims in reverse order", kReversedNames, lower_reversed, kReversedSamples)
VIEW(mT, "the last two dims exchanged", {}, lower_matrix_transpose, kMatrixTransposeSamples)
VIEW(movedim, "some dims moved to other places", kMovedimNames, lower_movedim, kMovedimSamples)
VIEW(expand, "dims of size 1 repeated without a copy", {}, lower_expand, kExpandSamples)
VIEW(expand_as, "expanded to another tensor's sizes", {}, lower_expand_as, kExpandAsSamples)
VIEW(slice, "a range of a dim, with a step", {}, lower_slice, kSliceSamples)
VIEW(select, "one index of a dim", {}, lower_select, kSelectSamples)
VIEW(narrow, "a range of a dim", {}, lower_narrow, kNarrowSamples)
VIEW(split, "a dim in pieces", kUnsafeSplitNames, lower_split, kSplitSamples)
VIEW(chunk, "a dim in so many pieces", kChunkNames, lower_chunk, kChunkSamples)
VIEW(unbind, "every index of a dim", {}, lower_unbind, kUnbindSamples)
VIEW(unsqueeze, "a new dim of size 1", {}, lower_unsqueeze, kUnsqueezeSamples)
VIEW(squeeze, "dims of size 1 removed", {}, lower_squeeze, kSqueezeSamples)
VIEW(flatten, "neighbouring dims joined", {}, lower_flatten, kFlattenSamples)
VIEW(unflatten, "a dim in several", {}, lower_unflatten, kUnflattenSamples)
VIEW(diagonal, "the diagonal of two dims", {}, lower_diagonal, kDiagonalSamples)
VIEW(as_strided, "any window on the storage", {}, lower_as_strided, kAsStridedSamples)

#undef VIEW

}  // namespace faultline
