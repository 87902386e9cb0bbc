// _embedding_bag: rows of a table, chosen by an index and combined by bag. A bag begins where `offsets` says and ends
// where the next one begins.
#include "runtime/layers/decompose/chosen_indices.h"
#include "runtime/layers/decompose/promotion.h"
#include "runtime/layers/decompose/updates.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

enum Mode : int64_t { sum, mean, max };

struct Bags {
  int64_t count;
  int of_index;  // [N] of i64: the bag of each index
  int members;   // the same, with -1 for padding
};

Bags bags_of(Builder& builder, const BoundCall& call, int indices, int64_t padding) {
  const TensorValue& offsets = call.tensor("offsets");
  const int64_t given = offsets.type.sizes.at(0), count = given - (call.boolean("include_last_offset") ? 1 : 0);
  const Sizes pairs = {builder.size(indices, 0), count};
  const int starts = builder.expand(builder.slice(read_indices(builder, call, offsets), 0, 0, count), pairs);
  const int begun = builder.apply(Function::less_equal, {starts, builder.iota(pairs, 0)});
  const int number = builder.reduce(Reduction::sum, builder.cast(begun, DType::i64), {1}, false);
  const int bag = builder.with(Function::sub, number, 1);
  if (padding < 0) return {count, bag, bag};
  const int pads = builder.with(Function::equal, indices, static_cast<double>(padding));
  return {count, bag, builder.select(pads, builder.number(-1, DType::i64), bag)};
}

// [D, N]: what each index brings.
int rows_of(Builder& builder, const BoundCall& call, int indices) {
  int rows = builder.gather(builder.read(call.tensor("weight")), indices, 0);
  if (const auto weights = call.optional_tensor("per_sample_weights")) {
    if (weights->type.dtype != call.type("weight").dtype) call.reject("weights of another dtype");
    rows = builder.apply(Function::mul, {rows, builder.insert_dim(builder.read(*weights), 1)});
  }
  return builder.transpose(rows, 0, 1);
}

// Which row gave the largest: the first that did, and 0 for an empty bag.
int largest_rows(Builder& builder, int rows, int indices, const Bags& bags) {
  const Sizes pairs = {builder.size(rows, 0), bags.count, builder.size(rows, 1)};
  const int bag = builder.expand(bags.members, pairs);
  const int here = builder.apply(Function::equal, {bag, builder.iota(pairs, 1)});
  const int values = builder.expand(builder.insert_dim(rows, 1), pairs);
  const int terms = builder.select(here, values, builder.neutral(Reduction::max, builder.dtype(rows)));
  const int row = builder.gather(indices, builder.reduce(Reduction::argmax, terms, {2}, false), 0);
  return builder.select(is_updated(builder, bags.members, bags.count), row, builder.number(0, DType::i64));
}

Lowered lower_embedding_bag(Builder& builder, const BoundCall& call) {
  const TensorValue &weight = call.tensor("weight"), &index = call.tensor("indices");
  if (rank_of(weight) != 2 || rank_of(index) != 1 || rank_of(call.tensor("offsets")) != 1)
    call.reject("a weight that is no matrix, or indices in several dims");
  if (!is_contiguous(weight.type)) call.reject("a weight that is not row-major");
  if (call.boolean("sparse") || call.boolean("scale_grad_by_freq")) call.reject("a choice that is for gradients");
  const int64_t mode = call.integer("mode"), count = index.type.sizes[0], width = weight.type.sizes[1];
  const int64_t padding = call.has("padding_idx") && call.given("padding_idx") ? call.integer("padding_idx") : -1;
  const DType integers = index.type.dtype;
  if (mode < sum || mode > max || count == 0 || call.type("offsets").sizes[0] == 0) call.reject("nothing to combine");
  const int indices = read_indices(builder, call, index);
  const Bags bags = bags_of(builder, call, indices, padding);
  require_pairs(call, bags.count * width, count);
  const int rows = rows_of(builder, call, indices);
  const Updates updates{builder.expand(bags.members, {width, count}), rows};
  const int zeros = builder.number(0, weight.type.dtype, {width, bags.count});
  int total =
      mode == max ? combined(builder, Reduction::max, zeros, updates, false) : update_sum(builder, updates, bags.count);
  const int members = update_count(builder, bags.members, bags.count);
  if (mode == mean)
    total = builder.apply(Function::div,
                          {total, builder.cast(builder.with(Function::maximum, members, 1), weight.type.dtype)});
  // What eager keeps for gradients: nothing of a plain sum.
  const auto kept = [&](int node) { return builder.fresh(builder.cast(node, integers)); };
  const int none = builder.number(0, DType::i64, {bags.count});
  const bool plain = mode == sum && padding < 0;
  const int sizes = mode == sum ? none : members;
  const int largest = mode == max ? builder.transpose(largest_rows(builder, rows, indices, bags), 0, 1) : sizes;
  return {builder.fresh(builder.transpose(total, 0, 1)),
          kept(plain ? builder.number(0, DType::i64, {0}) : bags.of_index), kept(sizes), kept(largest)};
}

constexpr std::string_view kBagSamples[] = {
    "def f(w: f32[9,7], i: i64[12], o: i64[4]): y, a, b, c = aten.$(w, i, o); return y, a, b, c; "
    "call f(i = integers(0,9,1), o = values(0,3,3,7))",
    "def f(w: f16[9,7], i: i64[33], o: i64[3]): y, a, b, c = aten.$(w, i, o, False, 1); return y, a, b, c; "
    "call f(i = integers(0,9,1), o = values(0,5,20))",
    "def f(w: f32[9,7], i: i64[12], o: i64[4]): y, a, b, c = aten.$(w, i, o, False, 2, False, None, True, 3); "
    "return y, a, b, c; call f(i = integers(0,9,1), o = values(0,3,3,12))",
    "def f(w: bf16[9,7], i: i32[12], o: i32[4], s: bf16[12]): y, a, b, c = aten.$(w, i, o, False, 0, False, s); "
    "return y, a, b, c; call f(i = integers(0,9,1), o = values(0,3,3,7))",
    "def f(w: f32[9,7], i: i64[12], o: i64[4]): y, a, b, c = aten.$(w, i, o, False, 0, False, None, False, 3); "
    "z, d, e, g = aten.$(w, i, o, False, 1, False, None, False, 3); return y, a, b, c, z, d, e, g; "
    "call f(i = integers(0,9,1), o = values(0,3,3,7))",
};
constexpr std::string_view kBagNames[] = {"_embedding_bag_forward_only"};

}  // namespace

constinit const OpRow op__embedding_bag{.id = "_embedding_bag",
                                        .summary = "rows of a table, combined by bag",
                                        .family = OpFamily::indexing,
                                        .synonyms = kBagNames,
                                        .lower = lower_embedding_bag,
                                        .samples = kBagSamples};

}  // namespace faultline
