// Reductions over some or all dims. Results are row-major.
#include <algorithm>
#include <cmath>

#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/reduction.h"

namespace faultline {
namespace {

bool keeps(const BoundCall& call) { return call.has("keepdim") && call.boolean("keepdim"); }

std::vector<int64_t> axes_of(const BoundCall& call, const TensorType& type) {
  const int rank = static_cast<int>(type.sizes.size());
  std::vector<int64_t> all;
  for (int d = 0; d < rank; ++d) all.push_back(d);
  return call.has("dim") ? call.dims("dim", rank) : all;
}

// Integers and bools add up in i64 unless a dtype is asked for.
template <Reduction reduction>
Lowered lower_accumulation(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType own = is_float(self.type.dtype) ? self.type.dtype : DType::i64;
  const DType dtype = call.dtype("dtype", own);
  const int x = builder.cast(builder.read(self), dtype);
  const bool logical = dtype == DType::boolean;
  const Reduction chosen = logical ? (reduction == Reduction::sum ? Reduction::any : Reduction::all) : reduction;
  return {builder.fresh(builder.reduce(chosen, x, axes_of(call, self.type), keeps(call)))};
}

Lowered lower_mean(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType dtype = call.dtype("dtype", self.type.dtype);
  if (!is_float(dtype)) call.reject("the mean of integers");
  const int x = builder.cast(builder.read(self), dtype);
  return {builder.fresh(mean_of(builder, x, axes_of(call, self.type), keeps(call)))};
}

int extreme_of(Builder& builder, Reduction reduction, int x, const std::vector<int64_t>& axes, bool keep) {
  if (builder.dtype(x) == DType::boolean) reduction = reduction == Reduction::max ? Reduction::any : Reduction::all;
  return builder.reduce(reduction, x, axes, keep);
}

// The flat index of the extreme over all dims, or along one.
int extreme_index(Builder& builder, Reduction reduction, int x, const std::optional<int>& dim, bool keep) {
  if (builder.rank(x) == 0) return builder.number(0, DType::i64);
  if (builder.dtype(x) == DType::boolean) x = builder.cast(x, DType::u8);
  if (dim) return builder.reduce(reduction, x, {*dim}, keep);
  std::vector<int64_t> axes(builder.rank(x));
  for (int d = 0; d < builder.rank(x); ++d) axes[d] = d;
  return builder.reduce(reduction, x, axes, keep);
}

void require_elements(const BoundCall& call, const TensorType& type, const std::vector<int64_t>& axes) {
  for (const int64_t axis : axes)
    if (type.sizes[axis] == 0) call.reject("no element to choose from");
}

template <Reduction reduction>
Lowered lower_extreme(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const std::vector<int64_t> axes = axes_of(call, self.type);
  require_elements(call, self.type, axes);
  return {builder.fresh(extreme_of(builder, reduction, builder.read(self), axes, keeps(call)))};
}

// max and min: of everything, of two tensors, or along a dim together with the index.
template <Reduction reduction, Reduction index, Function of_two, Function of_bools>
Lowered lower_max(Builder& builder, const BoundCall& call) {
  if (call.has("other")) {
    const Pair pair = common_pair(builder, call.operand("self"), call.operand("other"));
    const Function function = pair.dtype == DType::boolean ? of_bools : of_two;
    return {pair_result(builder, builder.apply(function, {pair.a, pair.b}), pair)};
  }
  if (!call.has("dim")) return lower_extreme<reduction>(builder, call);
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self), dim = call.dim("dim", builder.rank(x));
  const std::vector<int64_t> axes = builder.rank(x) == 0 ? std::vector<int64_t>{} : std::vector<int64_t>{dim};
  require_elements(call, self.type, axes);
  const int values = extreme_of(builder, reduction, x, axes, keeps(call));
  return {builder.fresh(values), builder.fresh(extreme_index(builder, index, x, dim, keeps(call)))};
}

Lowered lower_aminmax(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  std::vector<int64_t> axes = axes_of(call, self.type);
  if (call.given("dim") && !axes.empty()) axes = {call.dim("dim", static_cast<int>(self.type.sizes.size()))};
  require_elements(call, self.type, axes);
  const int x = builder.read(self);
  return {builder.fresh(extreme_of(builder, Reduction::min, x, axes, keeps(call))),
          builder.fresh(extreme_of(builder, Reduction::max, x, axes, keeps(call)))};
}

template <Reduction reduction>
Lowered lower_argextreme(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.read(self);
  std::optional<int> dim;
  if (call.given("dim")) dim = call.dim("dim", builder.rank(x));
  if (element_count(self.type.sizes) == 0) call.reject("no element to choose from");
  return {builder.fresh(extreme_index(builder, reduction, x, dim, keeps(call)))};
}

template <Reduction reduction>
Lowered lower_logical(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int truth = builder.cast(builder.read(self), DType::boolean);
  const int node = builder.reduce(reduction, truth, axes_of(call, self.type), keeps(call));
  return {builder.fresh(self.type.dtype == DType::u8 ? builder.cast(node, DType::u8) : node)};
}

double correction_of(const BoundCall& call) {
  if (call.has("correction")) return call.given("correction") ? call.real("correction") : 1;
  return !call.has("unbiased") || call.boolean("unbiased") ? 1 : 0;
}

template <bool root, bool with_mean>
Lowered lower_variance(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  if (!is_float(self.type.dtype)) call.reject("the variance of integers");
  const int x = builder.read(self);
  const Moments moments = moments_of(builder, x, axes_of(call, self.type), correction_of(call), keeps(call));
  const int spread = root ? builder.apply(Function::sqrt, {moments.variance}) : moments.variance;
  Lowered results = {builder.fresh(spread)};
  if (with_mean) results.push_back(builder.fresh(moments.mean));
  return results;
}

Lowered lower_count_nonzero(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int truth = builder.cast(builder.read(self), DType::boolean);
  std::vector<int64_t> axes = axes_of(call, self.type);
  return {builder.fresh(builder.reduce(Reduction::sum, builder.cast(truth, DType::i64), axes, false))};
}

int absolute_power_sum(Builder& builder, int x, double order, const std::vector<int64_t>& axes, bool keep) {
  if (order == 2) {
    const int sum = builder.reduce(Reduction::sum, builder.apply(Function::mul, {x, x}), axes, keep);
    return builder.apply(Function::sqrt, {sum});
  }
  const int size = builder.apply(Function::abs, {x});
  if (order == 1) return builder.reduce(Reduction::sum, size, axes, keep);
  const int sum = builder.reduce(Reduction::sum, builder.with(Function::pow, size, order), axes, keep);
  return builder.with(Function::pow, sum, 1 / order);
}

Lowered lower_vector_norm(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const double order = call.has("ord") ? call.real("ord") : call.given("p") ? call.real("p") : 2;
  if (!is_float(self.type.dtype)) call.reject("the norm of integers");
  const int x = builder.cast(builder.read(self), call.dtype("dtype", self.type.dtype));
  const std::vector<int64_t> axes = axes_of(call, self.type);
  const bool keep = keeps(call);
  if (std::isinf(order)) {
    require_elements(call, self.type, axes);
    const Reduction reduction = order > 0 ? Reduction::max : Reduction::min;
    return {builder.fresh(builder.reduce(reduction, builder.apply(Function::abs, {x}), axes, keep))};
  }
  if (order == 0) {
    const int counted = builder.cast(builder.with(Function::not_equal, x, 0), builder.dtype(x));
    return {builder.fresh(builder.reduce(Reduction::sum, counted, axes, keep))};
  }
  return {builder.fresh(absolute_power_sum(builder, x, order, axes, keep))};
}

constexpr std::string_view kSumSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.$.dim_IntList(x, [0, -1]); return y",
    "def f(x: i32[3,5]): y = aten.$.dim_IntList(x, [1], True); return y",
    "def f(x: bool[3,5]): y = aten.$.dim_IntList(x, [0]); return y",
    "def f(x: f16[3,5]): y = aten.$.dim_IntList(x, [1], dtype = f32); return y",
    "def f(x: f32[]): y = aten.$(x); return y",
    "def f(x: f32[0,3]): y = aten.$.dim_IntList(x, [0]); return y",
};
constexpr std::string_view kMeanSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.$.dim(x, [0, -1]); return y",
    "def f(x: i32[3,5]): y = aten.$.dim(x, [1], True, dtype = f32); return y",
};
constexpr std::string_view kProdSamples[] = {
    "def f(x: f32[9]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$.dim_int(x, -1, True); return y",
    "def f(x: i32[3,5]): y = aten.$.dim_int(x, 0); return y; call f(x = integers(-3,3,1))",
};
constexpr std::string_view kExtremeSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.$(x, [0, -1], True); return y",
    "def f(x: i32[3,5]): y = aten.$(x, [1]); return y",
    "def f(x: bool[3,5]): y = aten.$(x, [1]); return y",
};
constexpr std::string_view kMaxSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): v, i = aten.$.dim(x, 1); return v, i",
    "def f(x: i32[3,5]): v, i = aten.$.dim(x, 0, True); return v, i; call f(x = integers(0,3,1))",
    "def f(x: f32[3,5], y: f32[5]): z = aten.$.other(x, y); return z",
};
constexpr std::string_view kAminmaxSamples[] = {
    "def f(x: f32[65]): a, b = aten.aminmax(x); return a, b",
    "def f(x: f16[3,5]{stride=1,3}): a, b = aten.aminmax(x, dim = 1, keepdim = True); return a, b",
};
constexpr std::string_view kArgSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$(x); return y",
    "def f(x: i32[3,5]): y = aten.$(x, 1, True); return y; call f(x = integers(0,3,1))",
};
constexpr std::string_view kLogicalSamples[] = {
    "def f(x: bool[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.$.dim(x, 1, True); return y",
    "def f(x: u8[3,5]): y = aten.$.dims(x, [0, 1]); return y",
};
constexpr std::string_view kVarianceSamples[] = {
    "def f(x: f32[65]): y = aten.$(x); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.$.correction(x, [0, -1], correction = 0, keepdim = True); return y",
    "def f(x: f32[3,5]): y = aten.$.dim(x, [1], False); return y",
};
constexpr std::string_view kVarianceMeanSamples[] = {
    "def f(x: f32[65]): y, m = aten.$(x); return y, m",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y, m = aten.$.correction(x, [0, -1], keepdim = True); return y, m",
};
constexpr std::string_view kCountSamples[] = {
    "def f(x: i32[65]): y = aten.count_nonzero(x); return y; call f(x = integers(0,3,1))",
    "def f(x: bool[3,5]): y = aten.count_nonzero.dim_IntList(x, [1]); return y",
};
constexpr std::string_view kNormSamples[] = {
    "def f(x: f32[65]): y = aten.linalg_vector_norm(x); return y",
    "def f(x: f16[3,5]{stride=1,3}): y = aten.linalg_vector_norm(x, 1, [1], True); return y",
    "def f(x: f32[3,5]): y = aten.linalg_vector_norm(x, inf, [0]); return y",
    "def f(x: f32[3,5]): y = aten.norm.ScalarOpt_dim(x, 3, [1]); return y",
};
constexpr std::string_view kNormNames[] = {"norm"};

}  // namespace

#define REDUCTION(name, text, lowering, test) \
  constinit const OpRow op_##name{            \
      .id = #name, .summary = text, .family = OpFamily::reduction, .lower = lowering, .samples = test};

REDUCTION(sum, "the sum", lower_accumulation<Reduction::sum>, kSumSamples)
REDUCTION(prod, "the product", lower_accumulation<Reduction::prod>, kProdSamples)
REDUCTION(mean, "the sum over the count", lower_mean, kMeanSamples)
REDUCTION(amax, "the largest", lower_extreme<Reduction::max>, kExtremeSamples)
REDUCTION(amin, "the smallest", lower_extreme<Reduction::min>, kExtremeSamples)
REDUCTION(max, "the largest, and where it is",
          (lower_max<Reduction::max, Reduction::argmax, Function::maximum, Function::bitwise_or>), kMaxSamples)
REDUCTION(min, "the smallest, and where it is",
          (lower_max<Reduction::min, Reduction::argmin, Function::minimum, Function::bitwise_and>), kMaxSamples)
REDUCTION(aminmax, "the smallest and the largest", lower_aminmax, kAminmaxSamples)
REDUCTION(argmax, "where the largest is", lower_argextreme<Reduction::argmax>, kArgSamples)
REDUCTION(argmin, "where the smallest is", lower_argextreme<Reduction::argmin>, kArgSamples)
REDUCTION(any, "is one other than 0", lower_logical<Reduction::any>, kLogicalSamples)
REDUCTION(all, "are all other than 0", lower_logical<Reduction::all>, kLogicalSamples)
REDUCTION(var, "the variance", (lower_variance<false, false>), kVarianceSamples)
REDUCTION(std, "the root of the variance", (lower_variance<true, false>), kVarianceSamples)
REDUCTION(var_mean, "the variance and the mean", (lower_variance<false, true>), kVarianceMeanSamples)
REDUCTION(std_mean, "the root of the variance, and the mean", (lower_variance<true, true>), kVarianceMeanSamples)
REDUCTION(count_nonzero, "how many are other than 0", lower_count_nonzero, kCountSamples)

#undef REDUCTION

constinit const OpRow op_linalg_vector_norm{.id = "linalg_vector_norm",
                                            .summary = "the root of the sum of powers",
                                            .family = OpFamily::reduction,
                                            .synonyms = kNormNames,
                                            .lower = lower_vector_norm,
                                            .samples = kNormSamples};

}  // namespace faultline
