// Where numbers would stand among sorted ones. The halving search of eager is unrolled, one step for each doubling of
// the row, so that rows which are not sorted give what eager gives as well.
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

struct Search {
  int rows;         // [..., n]
  int64_t count;    // n
  int wanted;       // [..., k]
  bool from_right;  // behind equal ones
};

// The element of each row at `place` [..., k].
int element_at(Builder& builder, const Search& search, int place) {
  const Sizes sizes = builder.sizes(place);
  const int64_t lines = element_count(builder.sizes(search.rows)) / search.count;
  const int64_t width = element_count(sizes) / lines;
  const int start = builder.with(Function::mul, builder.iota({lines, width}, 0), static_cast<double>(search.count));
  const int at = builder.apply(Function::add, {start, builder.reshape(place, {lines, width})});
  const int flat = builder.reshape(search.rows, {lines * search.count});
  return builder.reshape(builder.gather(flat, at, 0), sizes);
}

// Halves [low, high) until it is empty; a NaN stands behind every number.
int place_of(Builder& builder, const Search& search) {
  const Sizes sizes = builder.sizes(search.wanted);
  int low = builder.number(0, DType::i64, sizes);
  int high = builder.number(static_cast<double>(search.count), DType::i64, sizes);
  for (int64_t rest = search.count; rest > 0; rest /= 2) {
    const int span = builder.apply(Function::sub, {high, low});
    const int half = builder.apply(Function::shift_right, {span, builder.number(1, DType::i64, sizes)});
    const int middle = builder.apply(Function::add, {low, half});
    const int open = builder.with(Function::greater, span, 0);
    const int place = builder.with(Function::minimum, middle, static_cast<double>(search.count - 1));
    const int found = element_at(builder, search, place);
    const Function before = search.from_right ? Function::greater : Function::greater_equal;
    const int behind = builder.logical_not(builder.apply(before, {found, search.wanted}));
    const int moves = builder.apply(Function::bitwise_and, {open, behind});
    const int stays = builder.apply(Function::bitwise_and, {open, builder.logical_not(behind)});
    low = builder.select(moves, builder.with(Function::add, middle, 1), low);
    high = builder.select(stays, middle, high);
  }
  return low;
}

bool from_right(const BoundCall& call) {
  const std::string side = call.has("side") ? call.word("side") : "";
  return call.boolean("right") || side == "right";
}

Lowered searched(Builder& builder, const BoundCall& call, std::string_view sorted, bool by_row) {
  const TensorValue& rows = call.tensor(sorted);
  const Operand self = call.operand("self");
  const bool has_dims = self.tensor && rank_of(*self.tensor) > 0;
  if (self.tensor && self.tensor->type.dtype != rows.type.dtype) call.reject("operands of two dtypes");
  if (call.has("sorter") && call.given("sorter")) call.reject("an order given beside the numbers");
  if (rank_of(rows) == 0 || (rank_of(rows) > 1 && (!by_row || !has_dims)))
    call.reject("sorted numbers in several dims");
  const int wanted = operand_node(builder, self, rows.type.dtype);
  if (rank_of(rows) > 1) {
    Sizes outer = builder.sizes(wanted), own = rows.type.sizes;
    outer.pop_back(), own.pop_back();
    if (outer != own) call.reject("rows of other sizes");
  }
  Search search{builder.read(rows), rows.type.sizes.back(), wanted, from_right(call)};
  const DType dtype = call.boolean("out_int32") ? DType::i32 : DType::i64;
  if (element_count(rows.type.sizes) == 0 || element_count(builder.sizes(wanted)) == 0)
    return {builder.fresh(builder.number(0, dtype, builder.sizes(wanted)))};
  return {builder.fresh(builder.cast(place_of(builder, search), dtype))};
}

Lowered lower_bucketize(Builder& builder, const BoundCall& call) {
  return searched(builder, call, "boundaries", false);
}

Lowered lower_searchsorted(Builder& builder, const BoundCall& call) {
  return searched(builder, call, "sorted_sequence", true);
}

constexpr std::string_view kBucketizeSamples[] = {
    "def f(x: f32[65], b: f32[9]): y = aten.bucketize.Tensor(x, b); return y; "
    "call f(x = integers(0,12,1), b = arange())",
    "def f(x: f16[3,5], b: f16[6]): y = aten.bucketize.Tensor(x, b, right = True, out_int32 = True); return y; "
    "call f(b = values(-1, -1, 0, 0.5, 0.5, 2))",
    "def f(x: f32[4], b: f32[3]): y = aten.bucketize.Tensor(x, b); z = aten.bucketize.Scalar(0.5, b); return y, z; "
    "call f(x = values(nan, inf, -inf, 1), b = arange())",
    "def f(x: i64[4], b: i64[0]): y = aten.bucketize.Tensor(x, b); return y",
};
constexpr std::string_view kSearchsortedSamples[] = {
    "def f(s: f32[3,9], x: f32[3,5]): y = aten.searchsorted.Tensor(s, x); z = aten.searchsorted.Tensor(s, x, side = "
    "\"right\"); return y, z; call f(s = arange(), x = integers(0,27,1))",
    "def f(s: i64[9], x: i64[3,5]): y = aten.searchsorted.Tensor(s, x, right = True); z = aten.searchsorted.Scalar(s, "
    "4); "
    "return y, z; call f(s = arange(), x = integers(-2,12,1))",
    "def f(s: f16[8], x: f16[5]): y = aten.searchsorted.Tensor(s, x); return y",
};

}  // namespace

#define SEARCH(name, text, lowering, test) \
  constinit const OpRow op_##name{         \
      .id = #name, .summary = text, .family = OpFamily::indexing, .lower = lowering, .samples = test};

SEARCH(bucketize, "between which boundaries numbers lie", lower_bucketize, kBucketizeSamples)
SEARCH(searchsorted, "where numbers would stand in a sorted row", lower_searchsorted, kSearchsortedSamples)

#undef SEARCH

}  // namespace faultline
