// Softmax and its relatives, always with the maximum subtracted.
#include <algorithm>
#include <limits>

#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/reduction.h"

namespace faultline {
namespace {

// The operand in the dtype of the result: asked for, or f32 where a half is turned into a float.
int operand_of(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  DType dtype = call.dtype("dtype", self.type.dtype);
  if (call.has("half_to_float") && call.boolean("half_to_float")) dtype = DType::f32;
  if (!is_float(dtype)) call.reject("the softmax of integers");
  const int x = builder.cast(builder.read(self), dtype);
  return builder.rank(x) == 0 ? builder.reshape(x, {1}) : x;
}

Lowered own_shape(Builder& builder, const BoundCall& call, int node) {
  return {builder.fresh(builder.reshape(node, call.type("self").sizes))};
}

Lowered lower_softmax(Builder& builder, const BoundCall& call) {
  const int x = operand_of(builder, call);
  return own_shape(builder, call, softmax_of(builder, x, call.dim("dim", builder.rank(x))));
}

// Rows of -inf alone give 0 for NaN.
Lowered lower_safe_softmax(Builder& builder, const BoundCall& call) {
  const int x = operand_of(builder, call), dim = call.dim("dim", builder.rank(x));
  const int hidden = builder.with(Function::equal, x, -std::numeric_limits<double>::infinity());
  const int all_hidden = builder.reduce(Reduction::all, hidden, {dim}, true);
  const int node = builder.select(all_hidden, builder.number(0, builder.dtype(x)), softmax_of(builder, x, dim));
  return own_shape(builder, call, node);
}

Lowered lower_log_softmax(Builder& builder, const BoundCall& call) {
  const int x = operand_of(builder, call);
  const Exponentials parts = exponentials_of(builder, x, call.dim("dim", builder.rank(x)));
  const int log_sum = builder.apply(Function::log, {parts.sum});
  return own_shape(builder, call, builder.apply(Function::sub, {parts.shifted, log_sum}));
}

// log(sum(exp(x))). An infinite maximum is not subtracted, so that it comes out as it is.
Lowered lower_logsumexp(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType dtype = float_type(self.type.dtype);
  const int x = builder.refresh(builder.cast(builder.read(self), dtype));
  const std::vector<int64_t> axes = call.dims("dim", builder.rank(x));
  const int top = builder.reduce(Reduction::max, x, axes, true);
  const int shift = builder.select(builder.apply(Function::is_infinite, {top}), builder.number(0, dtype), top);
  const int terms = builder.apply(Function::exp, {builder.apply(Function::sub, {x, shift})});
  const int log_sum = builder.apply(Function::log, {builder.reduce(Reduction::sum, terms, axes, true)});
  int node = builder.apply(Function::add, {log_sum, shift});
  if (!call.boolean("keepdim")) {
    Sizes left;
    for (int64_t d = 0; d < builder.rank(x); ++d)
      if (std::find(axes.begin(), axes.end(), d) == axes.end()) left.push_back(builder.size(x, static_cast<int>(d)));
    node = builder.reshape(node, left);
  }
  return {builder.fresh(node)};
}

constexpr std::string_view kIntSamples[] = {
    "def f(x: f32[65]): y = aten.$.int(x, 0); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.$.int(x, 1); return y",
    "def f(x: f16[3,5]): y = aten.$.int(x, -1, f32); return y",
    "def f(x: i32[3,5]): y = aten.$.int(x, -1, f32); return y",
    "def f(x: f32[]): y = aten.$.int(x, 0); return y",
};
constexpr std::string_view kInnerSamples[] = {
    "def f(x: f32[65]): y = aten.$(x, 0, False); return y",
    "def f(x: f16[3,5,7]): y = aten.$(x, 1, False); return y",
};
constexpr std::string_view kSafeSamples[] = {
    "def f(x: f32[3,5]): y = aten.log(x); z = aten._safe_softmax(y, -1); return z; call f(x = zeros())",
    "def f(x: f16[3,5]): z = aten._safe_softmax(x, 0); return z",
};
constexpr std::string_view kLogSumExpSamples[] = {
    "def f(x: f32[65]): y = aten.logsumexp(x, [0]); return y",
    "def f(x: f16[3,5,7]{stride=1,21,3}): y = aten.logsumexp(x, [0, 2], True); return y",
};

}  // namespace

constinit const OpRow op_softmax{.id = "softmax",
                                 .summary = "exp(x) over its sum along a dim",
                                 .family = OpFamily::normalisation,
                                 .lower = lower_softmax,
                                 .samples = kIntSamples};
constinit const OpRow op__softmax{.id = "_softmax",
                                  .summary = "softmax, as core ATen has it",
                                  .family = OpFamily::normalisation,
                                  .lower = lower_softmax,
                                  .samples = kInnerSamples};
constinit const OpRow op__safe_softmax{.id = "_safe_softmax",
                                       .summary = "softmax, 0 where all is -inf",
                                       .family = OpFamily::normalisation,
                                       .lower = lower_safe_softmax,
                                       .samples = kSafeSamples};
constinit const OpRow op_log_softmax{.id = "log_softmax",
                                     .summary = "the logarithm of the softmax",
                                     .family = OpFamily::normalisation,
                                     .lower = lower_log_softmax,
                                     .samples = kIntSamples};
constinit const OpRow op__log_softmax{.id = "_log_softmax",
                                      .summary = "log_softmax, as core ATen has it",
                                      .family = OpFamily::normalisation,
                                      .lower = lower_log_softmax,
                                      .samples = kInnerSamples};
constinit const OpRow op_logsumexp{.id = "logsumexp",
                                   .summary = "log(sum(exp(x)))",
                                   .family = OpFamily::normalisation,
                                   .lower = lower_logsumexp,
                                   .samples = kLogSumExpSamples};

}  // namespace faultline
