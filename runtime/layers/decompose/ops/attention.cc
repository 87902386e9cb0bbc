// Scaled dot product attention: softmax(scale * Q K^T + mask) V.
#include <cmath>
#include <limits>

#include "runtime/layers/decompose/contraction.h"
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/reduction.h"
#include "runtime/layers/decompose/strides.h"

namespace faultline {
namespace {

bool has_mask(const BoundCall& call) { return call.has("attn_mask") && call.given("attn_mask"); }

// Keys and values of fewer heads, each for a group of neighbouring query heads (dim -3).
int repeated_heads(Builder& builder, const BoundCall& call, int x, int64_t heads) {
  const int dim = builder.rank(x) - 3;
  const int64_t own = builder.size(x, dim);
  if (own == heads) return x;
  if (own == 0 || heads % own != 0) call.reject("the heads of keys do not divide those of queries");
  Sizes grouped = builder.sizes(x), joined = builder.sizes(x);
  grouped.insert(grouped.begin() + dim + 1, heads / own);
  joined[dim] = heads;
  return builder.reshape(builder.expand(builder.insert_dim(x, dim + 1), grouped), joined);
}

// `hidden`: which keys a query does not see, of the scores' sizes; a score of -inf hides a key as a mask does.
struct Scores {
  int node, hidden;
};

// Hidden keys get the neutral element of max, whatever that is on the machine: an infinity would not do on all.
void hide(Builder& builder, Scores& scores, int visible) {
  scores.node = builder.select(visible, scores.node, builder.neutral(Reduction::max, builder.dtype(scores.node)));
  scores.hidden = builder.apply(Function::bitwise_or, {scores.hidden, builder.logical_not(visible)});
}

// Queries see no key behind their own number.
void hide_later_keys(Builder& builder, Scores& scores) {
  const int rank = builder.rank(scores.node);
  const Sizes sizes = {builder.size(scores.node, rank - 2), builder.size(scores.node, rank - 1)};
  hide(builder, scores, builder.apply(Function::greater_equal, {builder.iota(sizes, 0), builder.iota(sizes, 1)}));
}

Scores masked_scores(Builder& builder, const BoundCall& call, int node) {
  const int mask = has_mask(call) ? builder.read(call.tensor("attn_mask")) : -1;
  const bool chosen = mask >= 0 && builder.dtype(mask) == DType::boolean;
  if (mask >= 0 && !chosen) {
    if (!is_float(builder.dtype(mask))) call.reject("a mask of integers");
    node = builder.apply(Function::add, {node, builder.cast(mask, builder.dtype(node))});
  }
  Scores scores{node, builder.with(Function::equal, node, -std::numeric_limits<double>::infinity())};
  if (chosen) hide(builder, scores, mask);
  if (call.boolean("is_causal")) hide_later_keys(builder, scores);
  return scores;
}

// Weights over the keys; a query that sees no key gets zeros.
int weights_of(Builder& builder, const Scores& masked) {
  const int scores = masked.node, last = builder.rank(scores) - 1;
  const int weights = softmax_of(builder, scores, last);
  const int all_hidden = builder.reduce(Reduction::all, masked.hidden, {last}, true);
  return builder.select(all_hidden, builder.number(0, builder.dtype(scores)), weights);
}

// Eager's blocked kernel takes these, and lays its result out as the query; everything else goes row-major.
bool laid_out_as_query(const BoundCall& call, const TensorType& q, const TensorType& k, const TensorType& v) {
  if (q.sizes.size() != 4 || k.sizes.size() != 4 || v.sizes.size() != 4) return false;
  if (q.strides[3] != 1 || k.strides[3] != 1 || v.strides[3] != 1) return false;
  if (q.sizes[3] != k.sizes[3] || q.sizes[3] != v.sizes[3] || q.sizes[0] != k.sizes[0] || q.sizes[0] != v.sizes[0])
    return false;
  if (!has_mask(call)) return true;
  const size_t rank = call.type("attn_mask").sizes.size();
  return (rank == 2 || rank == 4) && !call.boolean("is_causal");
}

Lowered lower_attention(Builder& builder, const BoundCall& call) {
  const TensorValue &query = call.tensor("query"), &key = call.tensor("key"), &value = call.tensor("value");
  const TensorType &q_type = query.type, &k_type = key.type;
  if (call.real("dropout_p") != 0) call.reject("draws random numbers");
  if (!is_float(q_type.dtype) || k_type.dtype != q_type.dtype || value.type.dtype != q_type.dtype)
    call.reject("dtypes that differ or are no floats");
  if (q_type.sizes.size() < 2 || k_type.sizes.size() < 2 || value.type.sizes.size() < 2)
    call.reject("less than 2 dims");
  int q = builder.read(query), k = builder.read(key), v = builder.read(value);
  if (call.has("enable_gqa") && call.boolean("enable_gqa")) {
    if (builder.rank(q) < 3 || builder.rank(k) < 3 || builder.rank(v) < 3) call.reject("groups of heads without heads");
    const int64_t heads = builder.size(q, builder.rank(q) - 3);
    k = repeated_heads(builder, call, k, heads);
    v = repeated_heads(builder, call, v, heads);
  }
  const double scale =
      call.given("scale") ? call.real("scale") : 1 / std::sqrt(static_cast<double>(q_type.sizes.back()));
  int scores = general_product(builder, q, builder.transpose(k, builder.rank(k) - 2, builder.rank(k) - 1));
  scores = builder.with(Function::mul, scores, scale);
  const Scores masked = masked_scores(builder, call, scores);
  scores = masked.node;
  const int result = general_product(builder, weights_of(builder, masked), v);
  TensorType like = q_type;
  like.sizes.back() = builder.sizes(result).back();
  const bool as_query = builder.sizes(result) == q_type.sizes && laid_out_as_query(call, q_type, k_type, value.type);
  Lowered results = {as_query ? builder.fresh(result, preserved_strides(like)) : builder.fresh(result)};
  if (call.result_count() == 1 || builder.rank(q) != 4) return results;
  // log of the sum of exponentials, [batch, head, query], laid out [batch, query, head].
  const Exponentials parts = exponentials_of(builder, scores, 3);
  const int top = builder.reduce(Reduction::max, scores, {3}, true);
  int log_sum = builder.apply(Function::add, {builder.apply(Function::log, {parts.sum}), top});
  log_sum = builder.remove_dim(builder.cast(log_sum, q_type.dtype == DType::f64 ? DType::f64 : DType::f32), 3);
  const Sizes& sizes = builder.sizes(log_sum);
  results.push_back(builder.fresh(log_sum, {sizes[1] * sizes[2], 1, sizes[1]}));
  return results;
}

constexpr std::string_view kSamples[] = {
    "def f(q: f32[2,3,5,4], k: f32[2,3,7,4], v: f32[2,3,7,4]): y = aten.scaled_dot_product_attention(q, k, v); return "
    "y",
    "def f(q: f32[1,2,5,1], k: f32[1,2,3,1], v: f32[1,2,3,2]): y = aten.scaled_dot_product_attention(q, k, v); "
    "z = aten.scaled_dot_product_attention(q, k, v, None, 0.0, True); return y, z; "
    "call f(q = values(1, -1), k = values(inf))",
    "def f(q: f16[2,3,5,4]{stride=60,4,12,1}, k: f16[2,3,5,4], v: f16[2,3,5,4]): "
    "y = aten.scaled_dot_product_attention(q, k, v, None, 0.0, True); return y",
    "def f(q: f32[2,3,5,4], k: f32[2,3,7,4], v: f32[2,3,7,6], m: bool[5,7]): "
    "y = aten.scaled_dot_product_attention(q, k, v, m); return y",
    "def f(q: f32[3,5,4], k: f32[3,7,4], v: f32[3,7,4], m: f32[7]): "
    "y = aten.scaled_dot_product_attention(q, k, v, m, scale = 0.25); return y",
    "def f(q: f32[2,6,5,4], k: f32[2,3,7,4], v: f32[2,3,7,4]): "
    "y = aten.scaled_dot_product_attention(q, k, v, enable_gqa = True); return y",
    "def f(q: f32[2,3,5,4], k: f32[2,3,7,4], v: f32[2,3,7,4], m: bool[5,7]): "
    "y = aten.scaled_dot_product_attention(q, k, v, m); return y; call f(m = zeros())",
};
constexpr std::string_view kFlashSamples[] = {
    "def f(q: f32[2,3,5,4], k: f32[2,3,7,4], v: f32[2,3,7,4]): "
    "y, l = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v); return y, l",
    "def f(q: f64[2,3,5,4]{stride=60,4,12,1}, k: f64[2,3,5,4], v: f64[2,3,5,4]): "
    "y, l = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True); return y, l",
};

}  // namespace

constinit const OpRow op_scaled_dot_product_attention{.id = "scaled_dot_product_attention",
                                                      .summary = "softmax(Q K^T) V, masked and scaled",
                                                      .family = OpFamily::normalisation,
                                                      .lower = lower_attention,
                                                      .samples = kSamples};
constinit const OpRow op__scaled_dot_product_flash_attention_for_cpu{
    .id = "_scaled_dot_product_flash_attention_for_cpu",
    .summary = "attention with the log of its sums",
    .family = OpFamily::normalisation,
    .lower = lower_attention,
    .samples = kFlashSamples};

}  // namespace faultline
