// Views with the dims in another order, or repeated: only strides change.
#include <algorithm>
#include <numeric>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

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

#define WRITTEN "; w = aten.mul_.Scalar(y, 2.0); return y"
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
    "def f(x: f32[]): y = aten.expand(x, [1, 1])" WRITTEN,
    "def f(x: f16[3,1]{stride=1,3}): y = aten.expand(x, [2, 3, 5]); return y",
    "def f(x: f16[3,5]): y = aten.expand(x, [1, 3, 5])" WRITTEN,
};
constexpr std::string_view kExpandAsSamples[] = {
    "def f(x: f32[5], o: f32[3,5]): y = aten.expand_as(x, o); return y",
    "def f(x: f16[3,1], o: f32[3,65]): y = aten.expand_as(x, o); return y",
};
#undef WRITTEN
constexpr std::string_view kTransposeNames[] = {"swapaxes", "swapdims"};
constexpr std::string_view kMovedimNames[] = {"moveaxis"};
constexpr std::string_view kReversedNames[] = {"T"};

}  // namespace

#define VIEW(name, text, names, lowering, test) \
  constinit const OpRow op_##name{              \
      .id = #name, .summary = text, .family = OpFamily::view, .synonyms = names, .lower = lowering, .samples = test};

VIEW(permute, "dims in another order", {}, lower_permute, kPermuteSamples)
VIEW(transpose, "two dims exchanged", kTransposeNames, lower_transpose, kTransposeSamples)
VIEW(t, "a matrix transposed", {}, lower_t, kTSamples)
VIEW(numpy_T, "all dims in reverse order", kReversedNames, lower_reversed, kReversedSamples)
VIEW(mT, "the last two dims exchanged", {}, lower_matrix_transpose, kMatrixTransposeSamples)
VIEW(movedim, "some dims moved to other places", kMovedimNames, lower_movedim, kMovedimSamples)
VIEW(expand, "dims of size 1 repeated without a copy", {}, lower_expand, kExpandSamples)
VIEW(expand_as, "expanded to another tensor's sizes", {}, lower_expand_as, kExpandAsSamples)

#undef VIEW

}  // namespace faultline
