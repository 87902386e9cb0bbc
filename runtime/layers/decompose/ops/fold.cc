// Windows of images as columns and back, and channels exchanged for resolution.
#include "runtime/layers/decompose/pooling.h"
#include "runtime/layers/decompose/strides.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

std::vector<WindowDim> fold_dims(const BoundCall& call, const Sizes& sizes) {
  const std::vector<int64_t> kernel = for_each_dim(call, "kernel_size", 2), stride = for_each_dim(call, "stride", 2),
                             padding = for_each_dim(call, "padding", 2), dilation = for_each_dim(call, "dilation", 2);
  std::vector<WindowDim> dims;
  for (size_t k = 0; k < 2; ++k) {
    WindowDim dim{sizes[k], kernel[k], stride[k], dilation[k], padding[k], 0};
    if (dim.taps < 1 || dim.stride < 1 || dim.dilation < 1 || dim.low < 0) call.reject("a kernel that does not exist");
    const int64_t room = dim.size + 2 * dim.low - dim.reach();
    if (room < 0) call.reject("the kernel is larger than the padded image");
    dim.positions = room / dim.stride + 1;
    dims.push_back(dim);
  }
  return dims;
}

// [N, C, H, W] to [N, C * taps, positions].
Lowered lower_im2col(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int rank = rank_of(self);
  if (rank != 3 && rank != 4) call.reject("a tensor that holds no images");
  const Sizes& own = self.type.sizes;
  const std::vector<WindowDim> dims = fold_dims(call, {own[rank - 2], own[rank - 1]});
  int x = builder.read(self);
  if (rank == 3) x = builder.insert_dim(x, 0);
  const int windows = windows_of(builder, x, 2, dims, zero_literal(self.type.dtype));
  const int columns = builder.permute(windows, {0, 1, 3, 5, 2, 4});
  Sizes sizes = {builder.size(x, 0), builder.size(x, 1) * dims[0].taps * dims[1].taps,
                 dims[0].positions * dims[1].positions};
  if (rank == 3) sizes.erase(sizes.begin());
  return {builder.fresh(builder.reshape(columns, sizes))};
}

// Dims `dim` (taps) and `dim` + 1 (positions) become (elements, taps): the element e at tap t comes from the position
// (e + low - t * dilation) / stride. With the positions spread out, tap after tap in one row, that is a window whose
// taps lie a row less a dilation apart.
int folded(Builder& builder, int x, int dim, const WindowDim& window) {
  const int64_t lead = window.reach() - 1;
  x = spread_out(builder, x, dim + 1, window.stride, lead - window.low, window.size + lead,
                 zero_literal(builder.dtype(x)));
  const int64_t row = builder.size(x, dim + 1);
  Sizes joined = builder.sizes(x);
  joined[dim] = window.taps * row;
  joined.erase(joined.begin() + dim + 1);
  x = builder.reshape(x, joined);
  const int64_t step = window.taps == 1 ? 1 : row - window.dilation;
  if (window.size == 0)
    return builder.reshape(builder.slice(x, dim, 0, 0), [&] {
      Sizes none = joined;
      none[dim] = 0;
      none.insert(none.begin() + dim + 1, window.taps);
      return none;
    }());
  x = builder.slice(x, dim, lead, window.size + (window.taps - 1) * step);
  return builder.window(x, dim, window.size, window.taps, 1, step);
}

Lowered lower_col2im(Builder& builder, const BoundCall& call) {
  const TensorValue& self = call.tensor("self");
  const int rank = rank_of(self);
  if (rank != 2 && rank != 3) call.reject("a tensor that holds no columns");
  const std::vector<int64_t> image = for_each_dim(call, "output_size", 2);
  const std::vector<WindowDim> dims = fold_dims(call, image);
  const Sizes& own = self.type.sizes;
  const int64_t taps = dims[0].taps * dims[1].taps, batch = rank == 3 ? own[0] : 1;
  if (own[rank - 2] % taps != 0 || own[rank - 1] != dims[0].positions * dims[1].positions)
    call.reject("columns that do not fit the image");
  const int64_t channels = own[rank - 2] / taps;
  int x = builder.reshape(builder.read(self),
                          {batch, channels, dims[0].taps, dims[1].taps, dims[0].positions, dims[1].positions});
  x = builder.permute(x, {0, 1, 2, 4, 3, 5});
  x = folded(builder, x, 2, dims[0]);
  x = folded(builder, x, 4, dims[1]);
  x = builder.reduce(Reduction::sum, x, {3, 5}, false);
  if (rank == 2) x = builder.remove_dim(x, 0);
  return {builder.fresh(x)};
}

// [.., C * r * r, H, W] to [.., C, H * r, W * r], and back.
Lowered shuffled(Builder& builder, const BoundCall& call, bool up, int64_t factor) {
  const TensorValue& self = call.tensor("self");
  const int rank = rank_of(self);
  if (rank < 3 || factor < 1) call.reject("no channels to exchange");
  const Sizes& own = self.type.sizes;
  const int64_t channels = own[rank - 3], height = own[rank - 2], width = own[rank - 1];
  if (up ? channels % (factor * factor) != 0 : height % factor != 0 || width % factor != 0)
    call.reject("a factor that does not divide the sizes");
  const Sizes leading(own.begin(), own.end() - 3);
  Sizes apart = {element_count(leading)}, to = leading;
  std::vector<int64_t> axes;
  if (up) {
    apart.insert(apart.end(), {channels / (factor * factor), factor, factor, height, width});
    to.insert(to.end(), {channels / (factor * factor), height * factor, width * factor});
    axes = {0, 1, 4, 2, 5, 3};
  } else {
    apart.insert(apart.end(), {channels, height / factor, factor, width / factor, factor});
    to.insert(to.end(), {channels * factor * factor, height / factor, width / factor});
    axes = {0, 1, 3, 5, 2, 4};
  }
  const int node = builder.reshape(builder.permute(builder.reshape(builder.read(self), apart), axes), to);
  return {builder.fresh(node, rank == 4 ? suggested_strides(self.type, to) : contiguous_strides(to))};
}

Lowered lower_shuffle(Builder& builder, const BoundCall& call) {
  return shuffled(builder, call, true, call.integer("upscale_factor"));
}
Lowered lower_unshuffle(Builder& builder, const BoundCall& call) {
  return shuffled(builder, call, false, call.integer("downscale_factor"));
}

constexpr std::string_view kIm2colSamples[] = {
    "def f(x: f32[2,3,7,9]): y = aten.$(x, [3, 2], [1, 2], [1, 0], [2, 1]); return y",
    "def f(x: f16[3,5,7]): y = aten.$(x, [2, 2], [2, 1], [0, 1], [1, 2]); return y",
    "def f(x: bf16[0,3,5,7]): y = aten.$(x, [2, 2], [1, 1], [0, 0], [1, 1]); return y",
};
constexpr std::string_view kCol2imSamples[] = {
    "def f(x: f32[2,18,28]): y = aten.$(x, [7, 9], [3, 2], [1, 2], [1, 0], [2, 1]); return y",
    "def f(x: f32[12,20]): y = aten.$(x, [5, 7], [2, 2], [2, 1], [1, 1], [1, 2]); return y",
    "def f(x: f16[1,18,9]): y = aten.$(x, [5, 5], [3, 3], [1, 1], [1, 1], [2, 2]); return y",
    "def f(x: bf16[2,18,15]): y = aten.$(x, [5, 7], [3, 3], [1, 1], [0, 0], [1, 1]); return y",
    "def f(x: f64[2,3,35]): y = aten.$(x, [5, 7], [1, 1], [9, 9], [0, 0], [1, 1]); return y",
};
constexpr std::string_view kShuffleSamples[] = {
    "def f(x: f32[2,12,3,5]): y = aten.$(x, 2); return y",
    "def f(x: f16[9,2,7]): y = aten.$(x, 3); return y",
    "def f(x: i64[2,3,4,2,3]): y = aten.$(x, 2); return y",
};
constexpr std::string_view kUnshuffleSamples[] = {
    "def f(x: f32[2,3,6,4]): y = aten.$(x, 2); return y",
    "def f(x: f16[2,3,9]): y = aten.$(x, 3); return y",
};

}  // namespace

#define FOLD(name, text, lowering, adds_in_own_type, test)           \
  constinit const OpRow op_##name{.id = #name,                       \
                                  .summary = text,                   \
                                  .family = OpFamily::movement,      \
                                  .lower = lowering,                 \
                                  .own_type_sums = adds_in_own_type, \
                                  .samples = test};

FOLD(im2col, "windows of images as columns", lower_im2col, false, kIm2colSamples)
FOLD(col2im, "columns added up to images", lower_col2im, true, kCol2imSamples)
FOLD(pixel_shuffle, "channels exchanged for resolution", lower_shuffle, false, kShuffleSamples)
FOLD(pixel_unshuffle, "resolution exchanged for channels", lower_unshuffle, false, kUnshuffleSamples)

#undef FOLD

}  // namespace faultline
