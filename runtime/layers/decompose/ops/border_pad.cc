// A border is a piece of the tensor, turned or repeated, put beside it: movement and nothing else.
#include "runtime/layers/decompose/borders.h"

#include <algorithm>

#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

int again(Builder& builder, int x, int dim, int64_t at, int64_t times) {
  Sizes spread = builder.sizes(x);
  spread[dim] = times;
  return builder.expand(builder.slice(x, dim, at, 1), spread);
}

// The border of `count` elements before or behind `x`. A reflection or a repeated edge comes from the whole dim; what
// is circular goes round what is left after cutting.
int border_of(Builder& builder, int x, int dim, int64_t count, bool before, Border border) {
  const int64_t size = builder.size(x, dim);
  switch (border) {
    case Border::reflect: return builder.flip(builder.slice(x, dim, before ? 1 : size - 1 - count, count), {dim});
    case Border::replicate: return again(builder, x, dim, before ? 0 : size - 1, count);
    case Border::circular: break;
  }
  return builder.slice(x, dim, before ? size - count : 0, count);
}

int bordered_along(Builder& builder, const BoundCall& call, int x, int dim, int64_t low, int64_t high, Border border) {
  const int64_t size = builder.size(x, dim);
  const int64_t left = size + std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0);
  const int64_t most = border == Border::reflect ? size - 1 : border == Border::circular ? size : low + high + size;
  if (low > most || high > most) call.reject("more padding than the tensor can give");
  if (left < 0 || size + low + high < 1 || size == 0) call.reject("a result without elements");
  const int middle = builder.slice(x, dim, std::max<int64_t>(-low, 0), left);
  const int source = border == Border::circular ? middle : x;
  if (border == Border::circular && std::max(low, high) > left) call.reject("more padding than is left to go round");
  std::vector<int> pieces;
  if (low > 0) pieces.push_back(border_of(builder, source, dim, low, true, border));
  pieces.push_back(middle);
  if (high > 0) pieces.push_back(border_of(builder, source, dim, high, false, border));
  return builder.concat(pieces, dim);
}

Lowered padded(Builder& builder, const BoundCall& call, const std::vector<int64_t>& pad, Border border) {
  const TensorValue& self = call.tensor("self");
  const int node = bordered(builder, call, builder.read(self), pad, border);
  const bool images = border != Border::circular && pad.size() > 2 && rank_of(self) == 2 + std::ssize(pad) / 2;
  return {builder.fresh(
      node, images ? suggested_strides(self.type, builder.sizes(node)) : contiguous_strides(builder.sizes(node)))};
}

template <Border border, size_t rank>
Lowered lower_padding(Builder& builder, const BoundCall& call) {
  const std::vector<int64_t> pad = call.integers("padding");
  if (pad.size() != 2 * rank) call.reject("no pair of numbers for each dim");
  return padded(builder, call, pad, border);
}

}  // namespace

int bordered(Builder& builder, const BoundCall& call, int x, const std::vector<int64_t>& pad, Border border) {
  const size_t rank = pad.size() / 2;
  if (pad.size() % 2 != 0 || rank < 1 || rank > 3) call.reject("no pairs of numbers for one to three dims");
  const int dims = builder.rank(x);
  if (dims != static_cast<int>(rank) + 1 && dims != static_cast<int>(rank) + 2)
    call.reject("a tensor of other than one or two dims more than are padded");
  if (builder.dtype(x) == DType::boolean && border != Border::circular) call.reject("the border of bools");
  for (size_t k = 0; k < rank; ++k)
    x = bordered_along(builder, call, x, dims - 1 - static_cast<int>(k), pad[2 * k], pad[2 * k + 1], border);
  return x;
}

Lowered lower_bordered_pad(Builder& builder, const BoundCall& call, const std::string& mode) {
  if (call.given("value")) call.reject("a value in mode '" + mode + "'");
  const std::vector<int64_t> pad = call.integers("pad");
  if (mode == "reflect") return padded(builder, call, pad, Border::reflect);
  if (mode == "replicate") return padded(builder, call, pad, Border::replicate);
  if (mode == "circular") return padded(builder, call, pad, Border::circular);
  call.reject("mode '" + mode + "'");
}

namespace {

constexpr std::string_view kPad1dSamples[] = {
    "def f(x: f32[2,3,65]): y = aten.$(x, [3, 2]); return y",
    "def f(x: f16[3,13]): y = aten.$(x, [-2, 12]); return y",
    "def f(x: i64[3,5]): y = aten.$(x, [0, 4]); return y",
};
constexpr std::string_view kPad2dSamples[] = {
    "def f(x: f32[2,3,5,65]): y = aten.$(x, [3, 2, 1, 4]); return y",
    "def f(x: bf16[3,7,5]): y = aten.$(x, [4, -1, 0, 2]); return y",
    "def f(x: f16[2,3,6,5]{stride=90,1,15,3}): y = aten.$(x, [1, 1, 2, 0]); return y",
};
constexpr std::string_view kPad3dSamples[] = {
    "def f(x: f32[2,3,4,5,7]): y = aten.$(x, [3, 2, 1, 4, 0, 1]); return y",
    "def f(x: bf16[3,4,3,5]): y = aten.$(x, [1, 0, 2, -1, 0, 3]); return y",
};

}  // namespace

#define BORDER(name, text, border, rank, test)                          \
  constinit const OpRow op_##name{.id = #name,                          \
                                  .summary = text,                      \
                                  .family = OpFamily::movement,         \
                                  .lower = lower_padding<border, rank>, \
                                  .samples = test};

BORDER(reflection_pad1d, "the last dim continued by its mirror image", Border::reflect, 1, kPad1dSamples)
BORDER(reflection_pad2d, "the last two dims continued by their mirror image", Border::reflect, 2, kPad2dSamples)
BORDER(reflection_pad3d, "the last three dims continued by their mirror image", Border::reflect, 3, kPad3dSamples)
BORDER(replication_pad1d, "the last dim continued by its edges", Border::replicate, 1, kPad1dSamples)
BORDER(replication_pad2d, "the last two dims continued by their edges", Border::replicate, 2, kPad2dSamples)
BORDER(replication_pad3d, "the last three dims continued by their edges", Border::replicate, 3, kPad3dSamples)

#undef BORDER

}  // namespace faultline
