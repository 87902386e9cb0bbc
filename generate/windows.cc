// A window that does not fit is no call: the function gives up, and another kind is drawn.
#include "generate/windows.h"

#include <algorithm>

#include "generate/numbers.h"
#include "generate/views.h"

namespace faultline::generate {

// [N, C, spatial...] of floats, small enough that its windows are.
static RandomValue some_images(RandomScope& s, int spatial, bool any_number = false) {
  const auto fits = [=](const RandomValue& v) {
    const bool typed = any_number ? v.dtype != DType::boolean : is_float(v.dtype);
    return typed && v.rank() == spatial + 2 && v.elements() > 0 && v.elements() <= 1500;
  };
  return s.value(fits, [=](RandomScope& scope) {
    static constexpr int64_t kSizes[] = {5, 7, 3, 9, 8, 4, 6, 33, 65};
    Sizes sizes = {1 + scope.below(2), 1 + scope.below(6)};
    for (int d = 0; d < spatial; ++d) sizes.push_back(scope.one_of(kSizes) % (d == 0 ? 66 : 10));
    const DType dtype = any_number && scope.one_in(4) ? scope.some_integer() : scope.some_float();
    return RandomValue{.name = "", .dtype = dtype, .sizes = sizes};
  });
}

struct RandomWindow {
  int64_t taps, stride, padding, dilation, positions;
};

// Along one dim of this size; positions < 1 where it does not fit.
static RandomWindow some_window(RandomScope& s, int64_t size, bool pools) {
  RandomWindow window{1 + s.below(3), 1 + s.below(3), 0, s.one_in(3) ? 2 : 1, 0};
  window.padding = s.below(pools ? window.taps / 2 + 1 : 3);
  const int64_t room = size + 2 * window.padding - (window.taps - 1) * window.dilation - 1;
  window.positions = room < 0 ? 0 : room / window.stride + 1;
  return window;
}

struct RandomWindows {
  Sizes taps, stride, padding, dilation, positions;
};

// Nothing where one does not fit.
static bool some_windows(RandomScope& s, const RandomValue& x, bool pools, bool dilates, RandomWindows& windows) {
  for (int d = 2; d < x.rank(); ++d) {
    RandomWindow window = some_window(s, x.sizes[d], pools);
    if (!dilates && window.dilation > 1) return false;
    if (window.positions < 1) return false;
    windows.taps.push_back(window.taps);
    windows.stride.push_back(window.stride);
    windows.padding.push_back(window.padding);
    windows.dilation.push_back(window.dilation);
    windows.positions.push_back(window.positions);
  }
  return true;
}

static Sizes image_sizes(const RandomValue& x, int64_t channels, const Sizes& spatial) {
  Sizes sizes = {x.sizes[0], channels};
  sizes.insert(sizes.end(), spatial.begin(), spatial.end());
  return sizes;
}

bool emit_convolution(RandomScope& s) {
  const int spatial = s.one_in(6) ? 3 : 1 + static_cast<int>(s.below(2));
  const RandomValue x = some_images(s, spatial);
  RandomWindows windows;
  if (!some_windows(s, x, false, true, windows)) return false;
  const int64_t groups = s.one_in(3) && x.sizes[1] % 2 == 0 ? 2 : 1, each = 1 + s.below(3);
  const bool turned = s.one_in(3);
  Sizes weight = turned ? Sizes{x.sizes[1], each} : Sizes{each * groups, x.sizes[1] / groups}, positions;
  weight.insert(weight.end(), windows.taps.begin(), windows.taps.end());
  Sizes left(spatial, 0);
  for (int d = 0; d < spatial; ++d) {
    if (turned && windows.stride[d] > 1) left[d] = s.below(2);
    const int64_t out = (x.sizes[d + 2] - 1) * windows.stride[d] - 2 * windows.padding[d] +
                        (windows.taps[d] - 1) * windows.dilation[d] + 1 + left[d];
    if (turned && out < 1) return false;
    positions.push_back(turned ? out : windows.positions[d]);
  }
  const Sizes sizes = image_sizes(x, each * groups, positions);
  if (element_count(sizes) > kElementsMax / 4) return false;
  const std::string bias = s.one_in(2) ? s.of_type(x.dtype, {each * groups}).name : "None";
  const std::string name = turned ? "conv_transpose" : "conv", rank = number(spatial);
  const std::string operands = x.name + ", " + s.of_type(x.dtype, weight).name + ", " + bias + ", " +
                               list_text(windows.stride) + ", " + list_text(windows.padding) + ", ";
  if (s.one_in(2)) {
    s.call(
        "convolution",
        operands + list_text(windows.dilation) + ", " + flag(turned) + ", " + list_text(left) + ", " + number(groups),
        x.dtype, sizes);
  } else if (turned) {
    s.call(name + rank + "d" + (spatial > 1 ? ".input" : ""),
           operands + list_text(left) + ", " + number(groups) + ", " + list_text(windows.dilation), x.dtype, sizes);
  } else {
    s.call(name + rank + "d", operands + list_text(windows.dilation) + ", " + number(groups), x.dtype, sizes);
  }
  return true;
}

bool emit_pool(RandomScope& s) {
  const int spatial = s.one_in(6) ? 3 : 1 + static_cast<int>(s.below(2));
  const bool maximum = s.one_in(2);
  const RandomValue x = some_images(s, spatial, maximum && spatial > 1);
  RandomWindows windows;
  if (!some_windows(s, x, true, maximum, windows)) return false;
  if (!maximum && spatial == 3 && (x.dtype == DType::f16 || x.dtype == DType::bf16)) return false;
  const Sizes sizes = image_sizes(x, x.sizes[1], windows.positions);
  const std::string rank = number(spatial);
  const std::string arguments =
      x.name + ", " + list_text(windows.taps) + ", " + list_text(windows.stride) + ", " + list_text(windows.padding);
  if (!maximum) {
    s.call("avg_pool" + rank + "d", arguments + ", False, " + flag(s.one_in(2)), x.dtype, sizes);
  } else if (spatial > 1 && s.one_in(2)) {
    s.call_all("max_pool" + rank + "d_with_indices", arguments + ", " + list_text(windows.dilation),
               {{.name = "", .dtype = x.dtype, .sizes = sizes}, {.name = "", .dtype = DType::i64, .sizes = sizes}});
  } else {
    s.call("max_pool" + rank + "d", arguments + ", " + list_text(windows.dilation), x.dtype, sizes);
  }
  return true;
}

bool emit_resize(RandomScope& s) {
  const RandomValue x = some_images(s, 2);
  Sizes sizes = x.sizes;
  switch (s.below(6)) {
    case 0: {
      RandomWindows windows;
      if (!some_windows(s, x, false, true, windows)) return false;
      const Sizes columns = {x.sizes[0], x.sizes[1] * element_count(windows.taps), element_count(windows.positions)};
      if (element_count(columns) > kElementsMax) return false;
      const std::string numbers = list_text(windows.taps) + ", " + list_text(windows.dilation) + ", " +
                                  list_text(windows.padding) + ", " + list_text(windows.stride);
      const RandomValue flat = s.call("im2col", x.name + ", " + numbers, x.dtype, columns);
      if (s.one_in(2))
        s.call("col2im", flat.name + ", " + list_text({x.sizes[2], x.sizes[3]}) + ", " + numbers, x.dtype, sizes);
      return true;
    }
    case 1:
      sizes = {x.sizes[0], x.sizes[1], 1 + s.below(12), 1 + s.below(12)};
      s.call("upsample_nearest2d", x.name + ", " + list_text({sizes[2], sizes[3]}), x.dtype, sizes);
      return true;
    case 2:
      sizes = {x.sizes[0], x.sizes[1], 1 + s.below(12), 1 + s.below(12)};
      s.call("upsample_bilinear2d", x.name + ", " + list_text({sizes[2], sizes[3]}) + ", " + flag(s.one_in(2)), x.dtype,
             sizes);
      return true;
    case 3:
      sizes = {x.sizes[0], x.sizes[1], 1 + s.below(6), 1 + s.below(6)};
      s.call("adaptive_avg_pool2d", x.name + ", " + list_text({sizes[2], sizes[3]}), x.dtype, sizes);
      return true;
    case 4:
      if (x.sizes[1] % 4 != 0) return false;
      s.call("pixel_shuffle", x.name + ", 2", x.dtype, {sizes[0], sizes[1] / 4, sizes[2] * 2, sizes[3] * 2});
      return true;
    default:
      if (x.sizes[0] * x.sizes[2] * x.sizes[3] < 2) return false;
      s.call_all("_native_batch_norm_legit.no_stats", x.name + ", None, None, True, 0.1, 0.01",
                 {{.name = "", .dtype = x.dtype, .sizes = sizes},
                  {.name = "", .dtype = x.dtype, .sizes = {x.sizes[1]}},
                  {.name = "", .dtype = x.dtype, .sizes = {x.sizes[1]}}});
      return true;
  }
}

bool emit_border(RandomScope& s) {
  const int padded = 1 + static_cast<int>(s.below(2));
  const RandomValue x = s.floats(padded + 1, padded + 2);
  if (!has_elements(x)) return false;
  const std::string mode = s.one_of({"reflect", "replicate", "circular"});
  Sizes sizes = x.sizes, amounts;
  for (int d = 0; d < padded; ++d) {
    int64_t& size = sizes[x.rank() - 1 - d];
    const int64_t most = std::min<int64_t>(size - (mode == "reflect" ? 1 : 0), 3), before = s.below(most + 1);
    const int64_t behind = s.below(most + 1);
    amounts.insert(amounts.end(), {before, behind});
    size += before + behind;
  }
  if (element_count(sizes) > kElementsMax) return false;
  if (mode != "circular" && s.one_in(2))
    s.call((mode == "reflect" ? "reflection_pad" : "replication_pad") + number(padded) + "d",
           x.name + ", " + list_text(amounts), x.dtype, sizes);
  else
    s.call("pad", x.name + ", " + list_text(amounts) + ", \"" + mode + "\"", x.dtype, sizes);
  return true;
}

}  // namespace faultline::generate
