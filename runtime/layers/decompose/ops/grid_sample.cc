// Images read at places that a grid names, from -1 to 1 across each image.
#include "runtime/layers/decompose/op.h"
#include "runtime/layers/decompose/view_ops.h"

namespace faultline {
namespace {

enum class Outside : int64_t { zeros = 0, border = 1, reflection = 2 };

// The grid's number as a place between elements of a dim.
int place_of(Builder& builder, int number, int64_t size, bool corners) {
  const double extent = static_cast<double>(size);
  if (corners)
    return builder.with(Function::mul, builder.with(Function::div, builder.with(Function::add, number, 1), 2),
                        extent - 1);
  const int scaled = builder.with(Function::mul, builder.with(Function::add, number, 1), extent);
  return builder.with(Function::div, builder.with(Function::sub, scaled, 1), 2);
}

// Mirrored at low / 2 and high / 2 as often as it takes.
int reflected(Builder& builder, int place, double twice_low, double twice_high) {
  if (twice_low == twice_high) return builder.number(0, builder.dtype(place), builder.sizes(place));
  const double low = twice_low / 2, span = (twice_high - twice_low) / 2;
  const int distance = builder.apply(Function::abs, {builder.with(Function::sub, place, low)});
  const int rest = builder.with(Function::fmod, distance, span);
  const int turns = builder.apply(Function::floor, {builder.with(Function::div, distance, span)});
  const int odd = builder.with(Function::not_equal, builder.with(Function::fmod, turns, 2), 0);
  const int back = builder.apply(Function::sub, {builder.number(span + low, builder.dtype(place)), rest});
  return builder.select(odd, back, builder.with(Function::add, rest, low));
}

int kept_inside(Builder& builder, int place, int64_t size, bool corners, Outside outside) {
  if (outside == Outside::zeros) return place;
  const double extent = static_cast<double>(size);
  if (outside == Outside::reflection)
    place = corners ? reflected(builder, place, 0, 2 * (extent - 1)) : reflected(builder, place, -1, 2 * extent - 1);
  return builder.with(Function::minimum, builder.with(Function::maximum, place, 0), extent - 1);
}

class Sampler {
 public:
  // `images` [N, C, H, W].
  Sampler(Builder& builder, int images) : builder_(builder), sizes_(builder.sizes(images)) {
    const Sizes rows = {sizes_[0] * sizes_[2] * sizes_[3], sizes_[1]};
    pixels_ = builder.reshape(builder.permute(images, {0, 2, 3, 1}), rows);
  }

  // [N, C, h, w] at whole places [N, h, w]; 0 outside.
  int at(int row, int column) {
    const Sizes grid = builder_.sizes(row);
    const int inside = builder_.apply(Function::bitwise_and, {within(row, 2), within(column, 3)});
    const auto index = [&](int place, int dim) {
      const double last = static_cast<double>(sizes_[dim] - 1);
      const int kept = builder_.with(Function::minimum, builder_.with(Function::maximum, place, 0), last);
      return builder_.cast(kept, DType::i64);
    };
    const int image = builder_.iota(grid, 0, 0, sizes_[2] * sizes_[3]);
    const int line = builder_.with(Function::mul, index(row, 2), static_cast<double>(sizes_[3]));
    const int flat = builder_.apply(Function::add, {builder_.apply(Function::add, {image, line}), index(column, 3)});
    const int chosen = builder_.permute(builder_.gather(pixels_, flat, 0), {0, 3, 1, 2});
    return builder_.select(builder_.insert_dim(inside, 1), chosen, builder_.number(0, builder_.dtype(chosen)));
  }

 private:
  int within(int place, int dim) {
    const double last = static_cast<double>(sizes_[dim] - 1);
    return builder_.apply(Function::bitwise_and, {builder_.with(Function::greater_equal, place, 0),
                                                  builder_.with(Function::less_equal, place, last)});
  }

  Builder& builder_;
  Sizes sizes_;
  int pixels_ = -1;
};

// The four neighbours, each weighted by the area between the place and the opposite one.
int bilinear(Builder& builder, Sampler& sampler, int row, int column) {
  const int top = builder.apply(Function::floor, {row}), left = builder.apply(Function::floor, {column});
  const int bottom = builder.with(Function::add, top, 1), right = builder.with(Function::add, left, 1);
  const auto part = [&](int at_row, int at_column, int height, int width) {
    const int weight = builder.insert_dim(builder.apply(Function::mul, {height, width}), 1);
    return builder.apply(Function::mul, {sampler.at(at_row, at_column), weight});
  };
  const auto between = [&](int to, int from) { return builder.apply(Function::sub, {to, from}); };
  const int upper = builder.apply(Function::add, {part(top, left, between(bottom, row), between(right, column)),
                                                  part(top, right, between(bottom, row), between(column, left))});
  const int lower = builder.apply(Function::add, {part(bottom, left, between(row, top), between(right, column)),
                                                  part(bottom, right, between(row, top), between(column, left))});
  return builder.apply(Function::add, {upper, lower});
}

// The weight of a point at `distance` in a cubic convolution with A = -0.75, near (up to 1) or far (from 1 to 2).
int cubic_weight(Builder& builder, int distance, bool near) {
  constexpr double kA = -0.75;
  const auto times = [&](int node) { return builder.apply(Function::mul, {node, distance}); };
  const auto scaled = [&](double factor) { return builder.with(Function::mul, distance, factor); };
  if (near) {
    const int inner = builder.with(Function::sub, scaled(kA + 2), kA + 3);
    return builder.with(Function::add, times(times(inner)), 1);
  }
  const int inner = times(builder.with(Function::sub, scaled(kA), 5 * kA));
  return builder.with(Function::sub, times(builder.with(Function::add, inner, 8 * kA)), 4 * kA);
}

// Of the four whole places around one: their numbers, kept inside, and their weights as [N, 1, h, w].
struct Cubic {
  int place[4], weight[4];
};

Cubic cubic_of(Builder& builder, int place, int64_t size, bool corners, Outside outside) {
  const int below = builder.apply(Function::floor, {place});
  const int past = builder.apply(Function::sub, {place, below});
  const int left = builder.apply(Function::sub, {builder.number(1, builder.dtype(past)), past});
  Cubic cubic;
  for (int k = 0; k < 4; ++k) {
    const int whole = k == 1 ? below : builder.with(Function::add, below, k - 1);
    cubic.place[k] = kept_inside(builder, whole, size, corners, outside);
    const int nearest = k < 2 ? past : left;
    const int distance = k == 0 || k == 3 ? builder.with(Function::add, nearest, 1) : nearest;
    cubic.weight[k] = builder.insert_dim(cubic_weight(builder, distance, k == 1 || k == 2), 1);
  }
  return cubic;
}

int bicubic(Builder& builder, Sampler& sampler, const Cubic& rows, const Cubic& columns) {
  const auto summed = [&](const int(&values)[4], const Cubic& cubic) {
    int sum = -1;
    for (int k = 0; k < 4; ++k) {
      const int part = builder.apply(Function::mul, {values[k], cubic.weight[k]});
      sum = sum < 0 ? part : builder.apply(Function::add, {sum, part});
    }
    return sum;
  };
  int lines[4];
  for (int r = 0; r < 4; ++r) {
    int values[4];
    for (int c = 0; c < 4; ++c) values[c] = sampler.at(rows.place[r], columns.place[c]);
    lines[r] = summed(values, columns);
  }
  return summed(lines, rows);
}

Lowered lower_grid_sampler(Builder& builder, const BoundCall& call) {
  const TensorValue &input = call.tensor("input"), &grid = call.tensor("grid");
  if (rank_of(input) != 4 || rank_of(grid) != 4 || grid.type.sizes[3] != 2 || grid.type.sizes[0] != input.type.sizes[0])
    call.reject("no images and places in them");
  const DType dtype = input.type.dtype;
  if (grid.type.dtype != dtype || !is_float(dtype)) call.reject("operands of other dtypes");
  const Sizes images = input.type.sizes;
  if (images[2] < 1 || images[3] < 1) call.reject("images without elements");
  const int64_t interpolation = call.integer("interpolation_mode"), padding = call.integer("padding_mode");
  if (interpolation < 0 || interpolation > 2 || padding < 0 || padding > 2) call.reject("a mode that does not exist");
  const bool corners = call.boolean("align_corners");
  const int places = builder.read(grid);
  const auto outside = static_cast<Outside>(padding);
  const auto place = [&](int64_t component, int dim) {
    return place_of(builder, builder.remove_dim(builder.slice(places, 3, component, 1), 3), images[dim], corners);
  };
  int column = place(0, 3), row = place(1, 2);
  Sampler sampler(builder, builder.read(input));
  if (interpolation == 2)
    return {builder.fresh(bicubic(builder, sampler, cubic_of(builder, row, images[2], corners, outside),
                                  cubic_of(builder, column, images[3], corners, outside)))};
  column = kept_inside(builder, column, images[3], corners, outside);
  row = kept_inside(builder, row, images[2], corners, outside);
  if (interpolation == 0) return {builder.fresh(bilinear(builder, sampler, row, column))};
  return {builder.fresh(sampler.at(builder.apply(Function::round, {row}), builder.apply(Function::round, {column})))};
}

constexpr std::string_view kSamples[] = {
    "def f(x: f32[2,3,5,7], g: f32[2,4,3,2]): y = aten.$(x, g, 0, 0, False); return y; call f(g = uniform(2))",
    "def f(x: f64[1,2,5,7], g: f64[1,4,3,2]): y = aten.$(x, g, 0, 1, True); return y; call f(g = normal(2))",
    "def f(x: f32[1,2,6,5], g: f32[1,4,3,2]): y = aten.$(x, g, 0, 2, False); return y; call f(g = normal(3))",
    "def f(x: f32[1,2,6,5], g: f32[1,4,3,2]): y = aten.$(x, g, 0, 2, True); return y; call f(g = normal(3))",
    "def f(x: f32[1,2,6,5], g: f32[1,4,13,2]): y = aten.$(x, g, 1, 0, False); return y; call f(g = normal(3))",
    "def f(x: f32[1,2,6,5], g: f32[1,4,13,2]): y = aten.$(x, g, 1, 1, True); return y; call f(g = normal(3))",
    "def f(x: f32[1,2,6,5], g: f32[1,4,3,2]): y = aten.$(x, g, 2, 0, False); return y; call f(g = uniform(2))",
    "def f(x: f64[1,2,6,5], g: f64[1,4,3,2]): y = aten.$(x, g, 2, 1, True); return y; call f(g = normal(2))",
    "def f(x: f32[1,1,6,5], g: f32[1,4,3,2]): y = aten.$(x, g, 2, 2, False); return y; call f(g = normal(2))",
    "def f(x: f16[1,2,6,5], g: f16[1,4,3,2]): y = aten.$(x, g, 0, 0, False); return y; call f(g = uniform(2))",
    "def f(x: bf16[1,2,6,5], g: bf16[1,4,3,2]): y = aten.$(x, g, 0, 1, True); return y; call f(g = uniform(2))",
    "def f(x: f16[1,2,6,5], g: f16[1,4,3,2]): y = aten.$(x, g, 2, 1, False); return y; call f(g = uniform(2))",
    "def f(x: bf16[1,2,6,5], g: bf16[1,4,3,2]): y = aten.$(x, g, 1, 2, False); return y; call f(g = uniform(2))",
};

}  // namespace

constinit const OpRow op_grid_sampler_2d{.id = "grid_sampler_2d",
                                         .summary = "images read at places that a grid names",
                                         .family = OpFamily::indexing,
                                         .lower = lower_grid_sampler,
                                         .samples = kSamples};

}  // namespace faultline
