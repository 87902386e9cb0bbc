// Views in other sizes: the same elements in the same order. Where eager copies instead (reshape of a tensor whose
// strides do not allow), so does the row.
#include <numeric>

#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

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

Lowered lower_reshape(Builder& builder, const BoundCall& call) {
  return {reshaped(builder, call.tensor("self"), sizes_argument(call, call.has("shape") ? "shape" : "size"))};
}

// view_as never copies.
Lowered lower_reshape_as(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const Sizes& sizes = call.type("other").sizes;
  if (element_count(sizes) != element_count(self.type.sizes)) call.reject("the sizes do not fit");
  const TensorValue result = reshaped(builder, self, sizes);
  if (result.storage != self.storage && call.target().starts_with("aten.view_as"))
    call.reject("the strides do not allow a view in these sizes");
  return {result};
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
    "def f(x: f16[3,5]{stride=1,3}, o: f16[15]): y = aten.reshape_as(x, o)" WRITTEN,
    "def f(x: f16[3,5], o: f16[15]): y = aten.view_as(x, o); return y",
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
#undef WRITTEN
constexpr std::string_view kReshapeNames[] = {"_reshape_alias"};
constexpr std::string_view kReshapeAsNames[] = {"view_as"};

}  // namespace

#define VIEW(name, text, names, lowering, test) \
  constinit const OpRow op_##name{              \
      .id = #name, .summary = text, .family = OpFamily::view, .synonyms = names, .lower = lowering, .samples = test};

VIEW(view, "other sizes for the same elements", {}, lower_view, kViewSamples)
VIEW(_unsafe_view, "a view that nobody writes through", {}, lower_view, kUnsafeViewSamples)
VIEW(reshape, "a view in other sizes, or a copy", kReshapeNames, lower_reshape, kReshapeSamples)
VIEW(reshape_as, "reshape to another tensor's sizes", kReshapeAsNames, lower_reshape_as, kReshapeAsSamples)
VIEW(unsqueeze, "a new dim of size 1", {}, lower_unsqueeze, kUnsqueezeSamples)
VIEW(squeeze, "dims of size 1 removed", {}, lower_squeeze, kSqueezeSamples)
VIEW(flatten, "neighbouring dims joined", {}, lower_flatten, kFlattenSamples)
VIEW(unflatten, "a dim in several", {}, lower_unflatten, kUnflattenSamples)

#undef VIEW

}  // namespace faultline
