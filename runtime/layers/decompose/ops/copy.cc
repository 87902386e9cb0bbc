// Copies and casts. `contiguous` and `to` give the tensor itself where eager does.
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

// The strides that a memory format asks of a copy.
Sizes format_strides(const BoundCall& call, const TensorType& type, std::string_view absent) {
  const std::string format = call.word("memory_format", absent);
  if (format == "preserve_format") return preserved_strides(type);
  if (format == "contiguous_format") return contiguous_strides(type.sizes);
  const size_t rank = format == "channels_last" ? 4 : 5;
  if ((format != "channels_last" && format != "channels_last_3d") || type.sizes.size() != rank)
    call.reject("memory format " + format + " does not fit the tensor");
  return channels_last_strides(type.sizes);
}

TensorValue copy_of(Builder& builder, const TensorValue& source, DType dtype, const Sizes& strides) {
  return builder.fresh(builder.cast(builder.read(source), dtype), strides);
}

Lowered lower_clone(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  return {copy_of(builder, self, self.type.dtype, format_strides(call, self.type, "preserve_format"))};
}

Lowered lower_contiguous(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const std::string format = call.word("memory_format", "contiguous_format");
  const bool already = format == "contiguous_format" ? is_contiguous(self.type) : is_channels_last(self.type);
  if (already) return {self};
  return {copy_of(builder, self, self.type.dtype, format_strides(call, self.type, format))};
}

Lowered lower_to_copy(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType dtype = call.dtype("dtype", self.type.dtype);
  return {copy_of(builder, self, dtype, format_strides(call, self.type, "preserve_format"))};
}

// `to` copies only if something changes, or on demand.
Lowered lower_to(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType dtype = call.has("other") ? call.type("other").dtype : call.dtype("dtype", self.type.dtype);
  const Sizes strides = format_strides(call, self.type, "preserve_format");
  const std::string format = call.word("memory_format", "preserve_format");
  const bool same_layout = format == "preserve_format" || strides == self.type.strides;
  if (dtype == self.type.dtype && same_layout && !(call.given("copy") && call.boolean("copy"))) return {self};
  return {copy_of(builder, self, dtype, strides)};
}

// copy_(src): src cast and expanded; the result's own layout does not matter, as it is written at once.
Lowered lower_copy(Builder& builder, const BoundCall& call) {
  const TensorType& type = call.type("self");
  const int source = builder.cast(builder.read(call.tensor("src")), type.dtype);
  return {builder.fresh(builder.expand(source, type.sizes), preserved_strides(type))};
}

Lowered lower_alias(Builder&, const BoundCall& call) { return {call.tensor("self")}; }

constexpr std::string_view kCloneSamples[] = {
    "def f(x: f16[65]): y = aten.$(x); return y",
    "def f(x: f32[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: i64[2,3]{stride=7,2 offset=1}): y = aten.$(x); return y",
};
constexpr std::string_view kAliasSamples[] = {
    "def f(x: f16[65]): y = aten.$(x); z = aten.mul_.Scalar(y, 2.0); return y",
    "def f(x: i32[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: f32[7]): y = aten.detach_(x); z = aten.mul_.Scalar(y, 2.0); return y",
};
constexpr std::string_view kContiguousSamples[] = {
    "def f(x: f16[65]): y = aten.$(x); return y",
    "def f(x: f32[3,5]{stride=1,3}): y = aten.$(x); z = aten.neg_(y); return y",
    "def f(x: f32[1,3,5,2]): y = aten.$(x, memory_format = channels_last); return y",
};
constexpr std::string_view kToSamples[] = {
    "def f(x: f32[65]): y = aten.to.dtype(x, f16); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.to.dtype(x, f32); return y",
    "def f(x: f32[7]): y = aten.to.dtype(x, f32); return y",
    "def f(x: f32[7]): y = aten.to.dtype(x, i32); return y",
    "def f(x: f32[7]): y = aten.to.dtype(x, bool); return y",
    "def f(x: i32[7], o: f64[2]): y = aten.to.other(x, o); return y",
    "def f(x: f16[3,5]{stride=1,3}, o: f32[2]): y = aten.type_as(x, o); z = aten.type_as(x, x); return y, z",
};
constexpr std::string_view kToCopySamples[] = {
    "def f(x: f32[65]): y = aten.$(x, dtype = f16); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: bool[3,5]): y = aten.$(x, dtype = f32); return y",
};
constexpr std::string_view kCopySamples[] = {
    "def f(x: f32[65], s: f16[65]): y = aten.copy_(x, s); return y",
    "def f(x: f16[3,5], s: i32[5]): y = aten.copy_(x, s); return x",
    "def f(x: f32[3,5]{stride=1,3}, s: f32[1,5]): y = aten.copy(x, s); return y",
};
constexpr std::string_view kAliasNames[] = {"detach", "detach_", "lift_fresh", "lift"};
constexpr std::string_view kToNames[] = {"type_as"};
constexpr std::string_view kCloneNames[] = {"lift_fresh_copy", "detach_copy", "alias_copy"};

}  // namespace

constinit const OpRow op_clone{.id = "clone",
                               .summary = "a copy, in the same or another memory format",
                               .family = OpFamily::movement,
                               .synonyms = kCloneNames,
                               .lower = lower_clone,
                               .samples = kCloneSamples};
constinit const OpRow op_contiguous{.id = "contiguous",
                                    .summary = "a copy in row-major order, or the tensor if it is so",
                                    .family = OpFamily::movement,
                                    .lower = lower_contiguous,
                                    .samples = kContiguousSamples};
constinit const OpRow op_to{.id = "to",
                            .summary = "a cast, or the tensor if nothing changes",
                            .family = OpFamily::pointwise,
                            .synonyms = kToNames,
                            .lower = lower_to,
                            .samples = kToSamples};
constinit const OpRow op__to_copy{.id = "_to_copy",
                                  .summary = "a cast that always copies",
                                  .family = OpFamily::pointwise,
                                  .lower = lower_to_copy,
                                  .samples = kToCopySamples};
constinit const OpRow op_copy{.id = "copy",
                              .summary = "another tensor's elements, cast and expanded",
                              .family = OpFamily::pointwise,
                              .lower = lower_copy,
                              .samples = kCopySamples};
constinit const OpRow op_alias{.id = "alias",
                               .summary = "the same tensor under another name",
                               .family = OpFamily::view,
                               .synonyms = kAliasNames,
                               .lower = lower_alias,
                               .samples = kAliasSamples};

}  // namespace faultline
