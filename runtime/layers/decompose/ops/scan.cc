// Scans along one dim. Every element looks at all of its row and leaves out what comes after it, so that a scan is a
// reduction like others, in any order (docs/decisions/updates.md).
#include "runtime/layers/decompose/pointwise.h"
#include "runtime/layers/decompose/updates.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

// Integers and bools are added up in i64.
DType scan_type(const BoundCall& call) {
  const DType own = call.type("self").dtype;
  return call.dtype("dtype", is_float(own) ? own : DType::i64);
}

template <Reduction reduction>
Lowered lower_scan(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int x = builder.cast(builder.read(self), scan_type(call));
  const int dim = call.dim("dim", rank_of(self));
  if (rank_of(self) == 0) return {builder.fresh(x)};
  require_pairs(call, element_count(self.type.sizes), self.type.sizes[dim]);
  return {builder.fresh(with_last(builder, scanned(builder, reduction, with_last(builder, x, dim)), dim))};
}

// log of the sum of exp(x[j]) over j <= i, each shifted by the largest of them so that nothing overflows. An infinity
// is no shift: the sum is 0 or infinite without one.
Lowered lower_logcumsumexp(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const DType dtype = self.type.dtype;
  if (!is_float(dtype)) call.reject("integers have no exponentials of their own type");
  const int dim = call.dim("dim", rank_of(self));
  if (rank_of(self) == 0) return {builder.fresh(builder.read(self))};
  require_pairs(call, element_count(self.type.sizes), self.type.sizes[dim]);
  const int x = with_last(builder, builder.refresh(builder.read(self)), dim);
  const int largest = scanned(builder, Reduction::max, x);
  const int endless = builder.apply(Function::is_infinite, {largest});
  const int top = builder.select(endless, builder.number(0, dtype), largest);
  Sizes pairs = builder.sizes(x);
  pairs.push_back(pairs.back());
  const int last = static_cast<int>(pairs.size()) - 1;
  const int other = builder.expand(builder.insert_dim(x, last - 1), pairs);
  const int shift = builder.expand(builder.insert_dim(top, last), pairs);
  const int before = builder.apply(Function::less_equal, {builder.iota(pairs, last), builder.iota(pairs, last - 1)});
  const int distance = builder.select(before, builder.apply(Function::sub, {other, shift}), builder.number(0, dtype));
  const int term = builder.select(before, builder.apply(Function::exp, {distance}), builder.number(0, dtype));
  const int sum = builder.reduce(Reduction::sum, term, {last}, false);
  const int node = builder.apply(Function::add, {builder.apply(Function::log, {sum}), top});
  return {builder.fresh(with_last(builder, node, dim))};
}

constexpr std::string_view kScanSamples[] = {
    "def f(x: f32[67]): y = aten.$(x, 0); return y; call f(x = uniform())",
    "def f(x: f16[3,7]{stride=1,3}): y = aten.$(x, 0); z = aten.$(x, -1, dtype = f32); return y, z",
    "def f(x: bf16[2,33]): y = aten.$(x, 1); return y",
    "def f(x: i32[3,5]): y = aten.$(x, 1); return y; call f(x = integers(-3,4,1))",
    "def f(x: bool[3,5]): y = aten.$(x, 0); return y",
    "def f(x: i64[3,5]{stride=1,3}): y = aten.$_(x, 1); return y; call f(x = integers(-3,4,1))",
    "def f(x: f32[2,1,3]{stride=3,7,1}): y = aten.$_(x, 2); return x",
    "def f(x: f32[]): y = aten.$(x, 0); return y",
    "def f(x: f32[0,3]): y = aten.$(x, 0); z = aten.$(x, 1); return y, z",
};
constexpr std::string_view kLogScanSamples[] = {
    "def f(x: f32[33]): y = aten.logcumsumexp(x, 0); return y",
    "def f(x: f16[3,7]{stride=1,3}): y = aten.logcumsumexp(x, 0); z = aten.logcumsumexp(x, -1); return y, z",
    "def f(x: f32[]): y = aten.logcumsumexp(x, 0); return y",
    "def f(x: f32[7]): y = aten.logcumsumexp(x, 0); return y; call f(x = values(-inf, -inf, 1, inf, 2, -inf, inf))",
    "def f(x: f32[3]): y = aten.logcumsumexp(x, 0); return y; call f(x = values(-inf, nan, inf))",
};

}  // namespace

#define SCAN(name, text, lowering, test) \
  constinit const OpRow op_##name{       \
      .id = #name, .summary = text, .family = OpFamily::reduction, .lower = lowering, .samples = test};

SCAN(cumsum, "the sum of an element and those before it", lower_scan<Reduction::sum>, kScanSamples)
SCAN(cumprod, "the product of an element and those before it", lower_scan<Reduction::prod>, kScanSamples)
SCAN(logcumsumexp, "the log of the sum of exponentials of an element and those before it", lower_logcumsumexp,
     kLogScanSamples)

#undef SCAN

}  // namespace faultline
