// Updates along one dim: scatter and the index_ family. Where several updates are meant for one place and nothing says
// how they combine, the last one wins, as on eager's CPU; torch promises no order there. Indices out of range are the
// program's error: eager raises.
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/updates.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

// A tensor without dims is a line of one element here.
int as_line(Builder& builder, int node) { return builder.rank(node) == 0 ? builder.reshape(node, {1}) : node; }

int read_index(Builder& builder, const BoundCall& call, const TensorValue& index) {
  if (index.type.dtype != DType::i64 && index.type.dtype != DType::i32)
    call.reject("indices of dtype " + std::string(name(index.type.dtype)));
  return builder.cast(builder.read(index), DType::i64);
}

// A call with `self` turned so that `dim` is the last.
struct Turned {
  Builder& builder;
  const TensorValue& tensor;
  int dim, self;

  Turned(Builder& builder, const BoundCall& call)
      : builder(builder),
        tensor(call.tensor("self")),
        dim(call.dim("dim", rank_of(tensor))),
        self(with_last(builder, as_line(builder, builder.read(tensor)), dim)) {}

  int64_t places() const { return builder.sizes(self).back(); }
  int back(int node) const { return builder.reshape(with_last(builder, node, dim), tensor.type.sizes); }
  DType dtype() const { return tensor.type.dtype; }
};

// An index of the scatter family reaches over a part of self, from its beginning, in the dims before the last; the rest
// is updated by nothing. `source` may be larger than the index.
Updates cornered(Builder& builder, const BoundCall& call, const Turned& self, int index, int source) {
  const Sizes wanted = builder.sizes(self.self), own = builder.sizes(index);
  if (wanted.size() != own.size() || builder.rank(source) != builder.rank(index))
    call.reject("an index of another rank");
  Sizes filled = wanted;
  filled.back() = own.back();
  for (size_t d = 0; d < own.size(); ++d) {
    if (own[d] > filled[d] || own[d] > builder.sizes(source)[d]) call.reject("an index larger than the tensor");
    source = builder.slice(source, static_cast<int>(d), 0, own[d]);
  }
  const std::vector<int64_t> low(own.size(), 0);
  require_pairs(call, element_count(wanted), own.back());
  return {builder.pad(index, low, filled, integer_literal(-1, DType::i64)),
          builder.pad(source, low, filled, neutral_literal(Reduction::sum, builder.dtype(source)))};
}

std::optional<Updates> scatter_updates(Builder& builder, const BoundCall& call, const Turned& self) {
  const TensorValue& index = call.tensor("index");
  if (element_count(index.type.sizes) == 0) return std::nullopt;
  const int turned = with_last(builder, as_line(builder, read_index(builder, call, index)), self.dim);
  if (!call.has("src")) {
    const int value = builder.literal(scalar_literal(call.scalar("value"), self.dtype()));
    return cornered(builder, call, self, turned, builder.expand(value, builder.sizes(turned)));
  }
  const TensorValue& source = call.tensor("src");
  if (source.type.dtype != self.dtype()) call.reject("a source of another dtype");
  return cornered(builder, call, self, turned, with_last(builder, as_line(builder, builder.read(source)), self.dim));
}

Reduction reduction_named(const BoundCall& call, const std::string& word) {
  if (word == "add" || word == "sum" || word == "mean") return Reduction::sum;
  if (word == "multiply" || word == "prod") return Reduction::prod;
  if (word == "amax") return Reduction::max;
  if (word == "amin") return Reduction::min;
  call.reject("an unknown reduction '" + word + "'");
}

// The sum over the count; integers are rounded down.
int averaged(Builder& builder, int total, const Updates& updates, bool include_self) {
  const DType dtype = builder.dtype(total);
  const int count = update_count(builder, updates.index, builder.sizes(total).back());
  const int divisor = include_self ? builder.with(Function::add, count, 1) : builder.with(Function::maximum, count, 1);
  const int typed = builder.cast(divisor, dtype);
  if (is_float(dtype)) return builder.apply(Function::div, {total, typed});
  const int rest = builder.apply(Function::remainder, {total, typed});
  return builder.apply(Function::div, {builder.apply(Function::sub, {total, rest}), typed});
}

Lowered lower_scatter(Builder& builder, const BoundCall& call) {
  const Turned self(builder, call);
  const auto updates = scatter_updates(builder, call, self);
  if (!updates) return {builder.fresh(builder.read(self.tensor))};
  if (call.has("reduce")) {
    const Reduction reduction = reduction_named(call, call.word("reduce"));
    return {builder.fresh(self.back(combined(builder, reduction, self.self, *updates, true)))};
  }
  if (call.has("src")) return {builder.fresh(self.back(last_written(builder, self.self, *updates)))};
  const int value = builder.literal(scalar_literal(call.scalar("value"), self.dtype()));
  const int updated = is_updated(builder, updates->index, self.places());
  return {builder.fresh(self.back(builder.select(updated, value, self.self)))};
}

Lowered lower_scatter_add(Builder& builder, const BoundCall& call) {
  const Turned self(builder, call);
  const auto updates = scatter_updates(builder, call, self);
  if (!updates) return {builder.fresh(builder.read(self.tensor))};
  return {builder.fresh(self.back(combined(builder, Reduction::sum, self.self, *updates, true)))};
}

Lowered lower_scatter_reduce(Builder& builder, const BoundCall& call) {
  const Turned self(builder, call);
  const std::string word = call.word("reduce");
  const bool include_self = call.boolean("include_self"), mean = word == "mean";
  const Reduction reduction = reduction_named(call, word);
  if (mean && self.dtype() == DType::boolean) call.reject("a mean of bools");
  const auto updates = scatter_updates(builder, call, self);
  if (!updates) return {builder.fresh(builder.read(self.tensor))};
  int node = combined(builder, reduction, self.self, *updates, include_self);
  if (mean) node = averaged(builder, node, *updates, include_self);
  return {builder.fresh(self.back(node))};
}

// An index of the index_ family is a line, the same for all other dims.
Updates lined(Builder& builder, const BoundCall& call, const Turned& self, int source) {
  const TensorValue& index = call.tensor("index");
  if (rank_of(index) > 1) call.reject("an index of several dims");
  Sizes sizes = builder.sizes(self.self);
  sizes.back() = element_count(index.type.sizes);
  require_pairs(call, element_count(builder.sizes(self.self)), sizes.back());
  const int line = as_line(builder, read_index(builder, call, index));
  if (builder.sizes(source) != sizes) call.reject("a source of other sizes");
  return {builder.expand(line, sizes), source};
}

int read_source(Builder& builder, const BoundCall& call, const Turned& self) {
  const TensorValue& source = call.tensor("source");
  if (source.type.dtype != self.dtype()) call.reject("a source of another dtype");
  const int node = as_line(builder, builder.read(source));
  if (builder.rank(node) != builder.rank(self.self)) call.reject("a source of another rank");
  return with_last(builder, node, self.dim);
}

Lowered lower_index_add(Builder& builder, const BoundCall& call) {
  const Turned self(builder, call);
  int source = read_source(builder, call, self);
  const Scalar alpha = call.scalar("alpha");
  if (to_real(alpha) != 1)
    source = builder.apply(Function::mul, {source, builder.literal(scalar_literal(alpha, self.dtype()))});
  const Updates updates = lined(builder, call, self, source);
  return {builder.fresh(self.back(combined(builder, Reduction::sum, self.self, updates, true)))};
}

Lowered lower_index_copy(Builder& builder, const BoundCall& call) {
  const Turned self(builder, call);
  const Updates updates = lined(builder, call, self, read_source(builder, call, self));
  return {builder.fresh(self.back(last_written(builder, self.self, updates)))};
}

// Negative indices count from the end here, and here only.
Lowered lower_index_fill(Builder& builder, const BoundCall& call) {
  const Turned self(builder, call);
  const TensorValue& index = call.tensor("index");
  if (rank_of(index) > 1) call.reject("an index of several dims");
  const int64_t places = self.places();
  require_pairs(call, places, element_count(index.type.sizes));
  const int line = as_line(builder, read_index(builder, call, index));
  const int negative = builder.with(Function::less, line, 0);
  const int wrapped = builder.select(negative, builder.with(Function::add, line, static_cast<double>(places)), line);
  const Operand value = call.operand("value");
  if (value.tensor && rank_of(*value.tensor) != 0) call.reject("a value with dims");
  const int filled =
      builder.select(is_updated(builder, wrapped, places), operand_node(builder, value, self.dtype()), self.self);
  return {builder.fresh(self.back(filled), preserved_strides(self.tensor.type))};
}

constexpr std::string_view kScatterSamples[] = {
    "def f(x: f32[9,65], i: i64[3,65], s: f32[3,65]): y = aten.scatter.src(x, 0, i, s); return y; "
    "call f(i = integers(0,9,1))",
    "def f(x: f16[7,5]{stride=1,7}, i: i64[6,4], s: f16[7,9]): y = aten.scatter.src(x, 1, i, s); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: bf16[7,5], i: i64[2,9]): y = aten.scatter.value(x, -1, i, 0.3); return y; call f(i = integers(0,5,1))",
    "def f(x: i64[5], i: i64[9], s: i64[9]): y = aten.scatter_.src(x, 0, i, s); return y; call f(i = integers(0,5,1))",
    "def f(x: bool[5], i: i64[3]): y = aten.scatter.value(x, 0, i, True); return y; call f(i = integers(0,5,1))",
    "def f(x: f32[5], i: i64[9], s: f32[9]): y = aten.scatter.reduce(x, 0, i, s, reduce = \"add\"); "
    "z = aten.scatter.reduce(x, 0, i, s, reduce = \"multiply\"); return y, z; call f(i = integers(0,5,1))",
    "def f(x: f16[5], i: i64[9]): y = aten.scatter.value_reduce(x, 0, i, 0.3, reduce = \"add\"); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: f32[3], i: i64[0], s: f32[3]): y = aten.scatter.src(x, 0, i, s); return y",
    "def f(x: f32[], i: i64[], s: f32[]): y = aten.scatter.src(x, 0, i, s); return y; call f(i = zeros())",
};
constexpr std::string_view kScatterAddSamples[] = {
    "def f(x: f32[9,33], i: i64[20,33], s: f32[20,33]): y = aten.scatter_add(x, 0, i, s); return y; "
    "call f(i = integers(0,9,1))",
    "def f(x: f16[2,5]{stride=1,2}, i: i64[2,67], s: f16[2,67]): y = aten.scatter_add(x, 1, i, s); return y; "
    "call f(i = integers(0,5,1), s = uniform())",
    "def f(x: bf16[3,5,2], i: i64[2,33,1], s: bf16[3,33,2]): y = aten.scatter_add(x, 1, i, s); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: i64[5], i: i64[9], s: i64[9]): y = aten.scatter_add_(x, 0, i, s); return x; call f(i = integers(0,5,1))",
    "def f(x: bool[5], i: i64[9], s: bool[9]): y = aten.scatter_add(x, 0, i, s); return y; call f(i = integers(0,5,1))",
};
constexpr std::string_view kScatterReduceSamples[] = {
    "def f(x: f32[9,5], i: i64[20,5], s: f32[20,5]): y = aten.scatter_reduce.two(x, 0, i, s, \"sum\"); "
    "z = aten.scatter_reduce.two(x, 0, i, s, \"sum\", include_self = False); return y, z; call f(i = integers(0,9,1))",
    "def f(x: f32[9], i: i64[12], s: f32[12]): y = aten.scatter_reduce.two(x, 0, i, s, \"prod\"); "
    "z = aten.scatter_reduce.two(x, 0, i, s, \"prod\", include_self = False); return y, z; call f(i = integers(0,9,1))",
    "def f(x: f16[9], i: i64[33], s: f16[33]): y = aten.scatter_reduce.two(x, 0, i, s, \"mean\"); "
    "z = aten.scatter_reduce.two(x, 0, i, s, \"mean\", include_self = False); return y, z; call f(i = integers(0,9,1))",
    "def f(x: bf16[9], i: i64[12], s: bf16[12]): y = aten.scatter_reduce.two(x, 0, i, s, \"amax\"); "
    "z = aten.scatter_reduce.two(x, 0, i, s, \"amin\", include_self = False); return y, z; call f(i = integers(0,9,1))",
    "def f(x: i64[9], i: i64[12], s: i64[12]): y = aten.scatter_reduce.two(x, 0, i, s, \"amin\"); "
    "z = aten.scatter_reduce.two(x, 0, i, s, \"mean\"); w = aten.scatter_reduce.two(x, 0, i, s, \"amax\", "
    "include_self = False); return y, z, w; call f(i = integers(0,9,1), s = integers(-9,9,2))",
    "def f(x: f32[9], i: i64[12], s: f32[12]): y = aten.scatter_reduce_.two(x, 0, i, s, \"mean\", "
    "include_self = False); return x; call f(i = integers(0,9,1))",
};
constexpr std::string_view kIndexAddSamples[] = {
    "def f(x: f32[9,33], i: i64[20], s: f32[20,33]): y = aten.index_add(x, 0, i, s); return y; "
    "call f(i = integers(0,9,1))",
    "def f(x: f16[2,5]{stride=1,2}, i: i32[9], s: f16[2,9]): y = aten.index_add(x, 1, i, s, alpha = 0.3); return y; "
    "call f(i = integers(0,5,1))",
    "def f(x: f16[5], i: i64[7], s: f16[7]): y = aten.index_add_(x, 0, i, s); return x; call f(i = integers(0,5,1))",
    "def f(x: i64[5], i: i64[9], s: i64[9]): y = aten.index_add(x, 0, i, s, alpha = 2); return y; "
    "call f(i = integers(0,5,1))",
};
constexpr std::string_view kIndexCopySamples[] = {
    "def f(x: f32[9,33], i: i64[12], s: f32[12,33]): y = aten.index_copy(x, 0, i, s); return y; "
    "call f(i = integers(0,9,1))",
    "def f(x: f16[2,5]{stride=1,2}, i: i64[3], s: f16[2,3]): y = aten.index_copy_(x, 1, i, s); return x; "
    "call f(i = integers(0,5,1))",
    "def f(x: bool[5], i: i64[], s: bool[1]): y = aten.index_copy(x, 0, i, s); return y; call f(i = integers(0,5,1))",
};
constexpr std::string_view kIndexFillSamples[] = {
    "def f(x: f32[9,33], i: i64[4]): y = aten.index_fill.int_Scalar(x, 0, i, 0.3); return y; "
    "call f(i = integers(-9,9,1))",
    "def f(x: f16[2,5]{stride=1,2}, i: i64[3], v: f16[]): y = aten.index_fill.int_Tensor(x, 1, i, v); "
    "z = aten.index_fill_.int_Scalar(x, 1, i, 2); return y, x; call f(i = integers(0,5,1))",
    "def f(x: bool[5], i: i64[]): y = aten.index_fill.int_Scalar(x, 0, i, True); return y; call f(i = integers(0,5,1))",
};

}  // namespace

#define UPDATE(name, text, lowering, test) \
  constinit const OpRow op_##name{         \
      .id = #name, .summary = text, .family = OpFamily::indexing, .lower = lowering, .samples = test};

UPDATE(scatter, "places of a dim, each by an index of its own, overwritten", lower_scatter, kScatterSamples)
UPDATE(scatter_add, "places of a dim, each by an index of its own, added to", lower_scatter_add, kScatterAddSamples)
UPDATE(scatter_reduce, "places of a dim, each by an index of its own, combined", lower_scatter_reduce,
       kScatterReduceSamples)
UPDATE(index_copy, "indices of one dim, overwritten", lower_index_copy, kIndexCopySamples)
UPDATE(index_fill, "indices of one dim, set to a number", lower_index_fill, kIndexFillSamples)

#undef UPDATE

constinit const OpRow op_index_add{.id = "index_add",
                                   .summary = "indices of one dim, added to",
                                   .family = OpFamily::indexing,
                                   .lower = lower_index_add,
                                   .own_type_sums = true,
                                   .samples = kIndexAddSamples};

}  // namespace faultline
