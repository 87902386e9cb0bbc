// Views of parts of a tensor: ranges, single indices, pieces, diagonals and strided windows.
#include <algorithm>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/strided_path.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

TensorValue slice_of(Builder& builder, const BoundCall& call, const TensorValue& tensor) {
  const int dim = call.dim("dim", rank_of(tensor));
  if (rank_of(tensor) == 0) call.reject("a tensor without dims");
  const int64_t size = tensor.type.sizes[dim], step = call.integer("step");
  if (step <= 0) call.reject("a step that is not positive");
  const auto bound = [&](std::string_view argument, int64_t absent) {
    const int64_t value = call.given(argument) ? call.integer(argument) : absent;
    return std::clamp<int64_t>(value < 0 ? value + size : value, 0, size);
  };
  const int64_t start = bound("start", 0), end = std::max(start, bound("end", size));
  return sliced(builder, tensor, dim, start, (end - start + step - 1) / step, step);
}

Lowered lower_slice(Builder& builder, const BoundCall& call) { return {slice_of(builder, call, call.tensor("self"))}; }

int64_t index_argument(const BoundCall& call, int64_t value, int64_t size) {
  if (value < -size || value >= size) call.reject("an index out of range");
  return value < 0 ? value + size : value;
}

TensorValue selection_of(Builder& builder, const BoundCall& call, const TensorValue& tensor) {
  if (rank_of(tensor) == 0) call.reject("a tensor without dims");
  const int dim = call.dim("dim", rank_of(tensor));
  return selected(builder, tensor, dim, index_argument(call, call.integer("index"), tensor.type.sizes[dim]));
}

Lowered lower_select(Builder& builder, const BoundCall& call) {
  return {selection_of(builder, call, call.tensor("self"))};
}

// A copy of the tensor with one part replaced. Eager copies the window that the tensor shows of its storage, so strides
// and offset stay; where elements share memory it clones the tensor.
template <TensorValue (*part_of)(Builder&, const BoundCall&, const TensorValue&)>
Lowered lower_scatter(Builder& builder, const BoundCall& call) {
  const TensorValue &self = call.tensor("self"), &source = call.tensor("src");
  const TensorType type = self.type;
  bool shared = false;
  for (size_t d = 0; d < type.sizes.size(); ++d) shared = shared || (type.strides[d] == 0 && type.sizes[d] > 1);
  const int whole = builder.read(self), replacement = builder.cast(builder.read(source), type.dtype);
  shared = shared && element_count(type.sizes) != 0;
  const TensorValue copy =
      shared ? builder.fresh(whole, preserved_strides(type)) : builder.fresh(whole, type.strides, type.offset);
  const TensorValue part = part_of(builder, call, copy);
  if (builder.sizes(replacement) != part.type.sizes) call.reject("the source has other sizes than the part");
  builder.write(part, replacement);
  return {copy};
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

// The two dims go, the diagonal stands last. In row-major order of the matrix it is a slice with the step columns + 1.
TensorValue diagonal_of(Builder& builder, const BoundCall& call, const TensorValue& self) {
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
  return builder.view(
      self, {to_back, reshape_step(to_back.to, flat), slice_step(flat, rank - 2, start, count, columns + 1)}, type);
}

Lowered lower_diagonal(Builder& builder, const BoundCall& call) {
  return {diagonal_of(builder, call, call.tensor("self"))};
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
constexpr std::string_view kSliceSamples[] = {
    "def f(x: f32[65]): y = aten.slice.Tensor(x, 0, 3, 60, 7)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.slice.Tensor(x, 1, -2, 9223372036854775807)" WRITTEN,
    "def f(x: i32[7]): y = aten.slice.Tensor(x, 0, 5, 2); return y",
};
constexpr std::string_view kSelectSamples[] = {
    "def f(x: f32[65]): y = aten.select.int(x, 0, 64)" WRITTEN,
    "def f(x: f16[3,5]{stride=1,3}): y = aten.select.int(x, 1, -2)" WRITTEN,
};
constexpr std::string_view kSliceScatterSamples[] = {
    "def f(x: f32[65], s: f32[9]): y = aten.slice_scatter(x, s, 0, 3, 60, 7); return y",
    "def f(x: f16[3,5]{stride=1,3}, s: f32[3,2]): y = aten.slice_scatter(x, s, 1, -2); return y",
    "def f(x: i32[2,3]{stride=4,1 offset=1}, s: i32[1,3]): y = aten.slice_scatter(x, s, 0, 1); return y",
    "def f(x: f32[3]): y = aten.expand(x, [2, 3]); z = aten.narrow(y, 0, 0, 1); w = aten.neg(z); "
    "v = aten.slice_scatter(y, w, 0, 1); return v",
};
constexpr std::string_view kSelectScatterSamples[] = {
    "def f(x: f32[65], s: f32[]): y = aten.select_scatter(x, s, 0, 64); return y",
    "def f(x: f16[3,5]{stride=1,3}, s: f16[3]): y = aten.select_scatter(x, s, 1, -2); return y",
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
constexpr std::string_view kDiagonalSamples[] = {
    "def f(x: f32[5,7]): y = aten.diagonal(x)" WRITTEN,
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.diagonal(x, -1, 2, 1)" WRITTEN,
    "def f(x: f32[5,7]): y = aten.diagonal(x, 9); return y",
};
constexpr std::string_view kDiagonalScatterSamples[] = {
    "def f(x: f32[5,7], s: f32[5]): y = aten.diagonal_scatter(x, s, 1); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}, s: f16[3,5]): y = aten.diagonal_scatter(x, s, -1, 2, 1); return y",
};
constexpr std::string_view kAsStridedSamples[] = {
    "def f(x: f32[65]): y = aten.as_strided(x, [3, 4], [20, 2], 5)" WRITTEN,
    "def f(x: f16[4,6]{stride=1,4}): y = aten.as_strided(x, [6, 4], [4, 1])" WRITTEN,
    "def f(x: f32[12]): y = aten.as_strided(x, [2, 3, 2], [6, 0, 1]); return y",
    "def f(x: f16[5,1,8]{stride=1,1,5}): y = aten.as_strided(x, [3], [13])" WRITTEN,
};
#undef WRITTEN
constexpr std::string_view kUnsafeSplitNames[] = {"split_with_sizes", "unsafe_split", "unsafe_split_with_sizes"};
constexpr std::string_view kChunkNames[] = {"unsafe_chunk"};

}  // namespace

#define VIEW(name, text, names, lowering, test) \
  constinit const OpRow op_##name{              \
      .id = #name, .summary = text, .family = OpFamily::view, .synonyms = names, .lower = lowering, .samples = test};

VIEW(slice, "a range of a dim, with a step", {}, lower_slice, kSliceSamples)
VIEW(select, "one index of a dim", {}, lower_select, kSelectSamples)
VIEW(narrow, "a range of a dim", {}, lower_narrow, kNarrowSamples)
VIEW(split, "a dim in pieces", kUnsafeSplitNames, lower_split, kSplitSamples)
VIEW(chunk, "a dim in so many pieces", kChunkNames, lower_chunk, kChunkSamples)
VIEW(unbind, "every index of a dim", {}, lower_unbind, kUnbindSamples)
VIEW(diagonal, "the diagonal of two dims", {}, lower_diagonal, kDiagonalSamples)
VIEW(as_strided, "any window on the storage", {}, lower_as_strided, kAsStridedSamples)

#undef VIEW

constinit const OpRow op_slice_scatter{.id = "slice_scatter",
                                       .summary = "a copy with a range of a dim replaced",
                                       .family = OpFamily::movement,
                                       .lower = lower_scatter<slice_of>,
                                       .samples = kSliceScatterSamples};
constinit const OpRow op_diagonal_scatter{.id = "diagonal_scatter",
                                          .summary = "a copy with the diagonal of two dims replaced",
                                          .family = OpFamily::movement,
                                          .lower = lower_scatter<diagonal_of>,
                                          .samples = kDiagonalScatterSamples};
constinit const OpRow op_select_scatter{.id = "select_scatter",
                                        .summary = "a copy with one index of a dim replaced",
                                        .family = OpFamily::movement,
                                        .lower = lower_scatter<selection_of>,
                                        .samples = kSelectScatterSamples};

}  // namespace faultline
