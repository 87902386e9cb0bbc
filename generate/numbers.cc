// Sizes are kept small enough that an exact reference of the results costs little.
#include "generate/numbers.h"

#include <algorithm>

#include "generate/elements.h"

namespace faultline::generate {

std::string flag(bool on) { return on ? "True" : "False"; }

Sizes some_dims(RandomScope& s, const RandomValue& x) {
  Sizes dims;
  for (int d = 0; d < x.rank(); ++d)
    if (s.one_in(2)) dims.push_back(d);
  if (dims.empty() && x.rank() > 0) dims.push_back(x.rank() - 1);
  return dims;
}

Sizes without(const RandomValue& x, const Sizes& dims, bool keep) {
  Sizes sizes;
  for (int d = 0; d < x.rank(); ++d) {
    const bool gone = std::find(dims.begin(), dims.end(), d) != dims.end();
    if (!gone || keep) sizes.push_back(gone ? 1 : x.sizes[d]);
  }
  return sizes;
}

bool has_elements(const RandomValue& x) { return x.elements() > 0; }

bool emit_sum(RandomScope& s) {
  static constexpr const char* kWhole[] = {"sum",           "mean", "amax", "amin",   "any",
                                           "all",           "prod", "var",  "std",    "linalg_vector_norm",
                                           "count_nonzero", "max",  "min",  "argmax", "argmin"};
  static constexpr const char* kOps[] = {"sum.dim_IntList",
                                         "mean.dim",
                                         "amax",
                                         "amin",
                                         "any.dims",
                                         "all.dims",
                                         "var.correction",
                                         "std.correction",
                                         "linalg_vector_norm",
                                         "count_nonzero.dim_IntList",
                                         "sum.dim_IntList"};
  const bool whole = s.one_in(4);
  const std::string op = whole ? s.one_of(kWhole) : s.one_of(kOps);
  const std::string id = op.substr(0, op.find('.'));
  const bool real = id == "mean" || id == "var" || id == "std" || id == "linalg_vector_norm";
  const RandomValue x = real ? s.floats() : s.any();
  if (!has_elements(x) && id != "sum") return false;
  if (id == "prod" && x.elements() > 40) return false;
  const bool index = id == "argmax" || id == "argmin";
  if (index && x.dtype == DType::boolean) return false;
  const DType dtype = id == "any" || id == "all"       ? (x.dtype == DType::u8 ? DType::u8 : DType::boolean)
                      : id == "count_nonzero" || index ? DType::i64
                      : id == "sum" || id == "prod"    ? sum_type(x.dtype)
                                                       : x.dtype;
  if (whole) {
    s.call(op, x.name, dtype, {});
    return true;
  }
  const Sizes dims = some_dims(s, x);
  if (dims.empty()) return false;
  const bool keep = id != "count_nonzero" && s.one_in(3);
  std::string arguments = x.name + ", ";
  if (id == "linalg_vector_norm") arguments += s.one_of({"2, ", "1, ", "inf, "});
  arguments += list_text(dims);
  if (id == "var" || id == "std") arguments += s.one_of({"", ", correction = 0"});
  if (keep) arguments += ", keepdim = True";
  s.call(op, arguments, dtype, without(x, dims, keep));
  return true;
}

bool emit_extreme(RandomScope& s) {
  const RandomValue x = s.numbers(1);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank());
  const bool keep = s.one_in(3);
  const std::string arguments = x.name + ", " + std::to_string(dim) + ", " + flag(keep);
  const Sizes sizes = without(x, {dim}, keep);
  const RandomValue values{.name = "", .dtype = x.dtype, .sizes = sizes};
  const RandomValue places{.name = "", .dtype = DType::i64, .sizes = sizes, .index_end = x.sizes[dim]};
  switch (s.below(6)) {
    case 0: s.call_all("max.dim", arguments, {values, places}); break;
    case 1: s.call_all("min.dim", arguments, {values, places}); break;
    case 2:
      s.call_all("aminmax", x.name + ", dim = " + std::to_string(dim) + ", keepdim = " + flag(keep), {values, values});
      break;
    case 3: s.call_all("argmax", arguments, {places}); break;
    case 4: s.call_all("argmin", arguments, {places}); break;
    default:
      if (x.sizes[dim] > 9) return false;
      s.call("prod.dim_int", arguments, sum_type(x.dtype), sizes);
  }
  return true;
}

bool emit_moments(RandomScope& s) {
  const RandomValue x = s.floats(1);
  if (!has_elements(x)) return false;
  const Sizes dims = some_dims(s, x);
  const bool keep = s.one_in(3);
  const RandomValue part{.name = "", .dtype = x.dtype, .sizes = without(x, dims, keep)};
  s.call_all(s.one_of({"var_mean.correction", "std_mean.correction"}),
             x.name + ", " + list_text(dims) + s.one_of({"", ", correction = 0"}) + ", keepdim = " + flag(keep),
             {part, part});
  return true;
}

bool emit_softmax(RandomScope& s) {
  const RandomValue x = s.floats(1);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank());
  const std::string place = ", " + std::to_string(s.one_in(2) ? dim : dim - x.rank());
  switch (s.below(5)) {
    case 0: s.call("softmax.int", x.name + place, x.dtype, x.sizes); break;
    case 1: s.call("_softmax", x.name + place + ", False", x.dtype, x.sizes); break;
    case 2:
      if (s.one_in(2))
        s.call("log_softmax.int", x.name + place, x.dtype, x.sizes);
      else
        s.call("_log_softmax", x.name + place + ", False", x.dtype, x.sizes);
      break;
    case 3: s.call("_safe_softmax", x.name + place, x.dtype, x.sizes); break;
    default: {
      const Sizes dims = some_dims(s, x);
      const bool keep = s.one_in(2);
      s.call("logsumexp", x.name + ", " + list_text(dims) + ", " + flag(keep), x.dtype, without(x, dims, keep));
    }
  }
  return true;
}

bool emit_norm(RandomScope& s) {
  const RandomValue x = s.floats(1);
  if (!has_elements(x)) return false;
  const int first = x.rank() - 1 - (x.rank() > 1 && s.one_in(4) ? 1 : 0);
  const Sizes shape(x.sizes.begin() + first, x.sizes.end());
  const std::string weight = s.one_in(3) ? "None" : s.of_type(x.dtype, shape).name;
  const std::string bias = s.one_in(3) ? "None" : s.of_type(x.dtype, shape).name;
  const std::string start = x.name + ", " + list_text(shape) + ", ";
  const auto channel = [&] { return s.of_type(x.dtype, {x.sizes[1]}).name; };
  switch (s.below(5)) {
    case 0: s.call("rms_norm", start + weight + ", 0.001", x.dtype, x.sizes); break;
    case 1: {
      Sizes outer = x.sizes;
      std::fill(outer.begin() + first, outer.end(), 1);
      const RandomValue whole{.name = "", .dtype = x.dtype, .sizes = x.sizes};
      const RandomValue part{.name = "", .dtype = x.dtype == DType::f32 ? x.dtype : DType::f32, .sizes = outer};
      if (x.dtype != DType::f32) return false;
      s.call_all("native_layer_norm", start + weight + ", " + bias + ", 0.01", {whole, part, part});
      break;
    }
    case 2:
      if (x.rank() < 2) return false;
      s.call("group_norm",
             x.name + ", " + std::to_string(x.sizes[1] % 2 == 0 ? 2 : 1) + ", " + channel() + ", " + channel(), x.dtype,
             x.sizes);
      break;
    case 3: {
      if (x.rank() < 2) return false;
      const RandomValue spread = s.parameter({.name = "", .dtype = x.dtype, .sizes = {x.sizes[1]}}, "uniform($)");
      s.call("batch_norm",
             x.name + ", " + channel() + ", " + channel() + ", " + channel() + ", " + spread.name +
                 ", False, 0.1, 0.01, False",
             x.dtype, x.sizes);
      break;
    }
    default: s.call("layer_norm", start + weight + ", " + bias, x.dtype, x.sizes);
  }
  return true;
}

static constexpr int64_t kProductsMax = 200000;

int64_t some_width(RandomScope& s) {
  static constexpr int64_t kWidths[] = {5, 1, 3, 32, 33, 64, 65, 2, 127};
  return s.one_of(kWidths);
}

bool emit_product(RandomScope& s) {
  const uint32_t kind = s.below(9);
  const RandomValue x = s.one_in(10) ? s.numbers(1, 3) : s.floats(1, 3);
  if (x.sizes.back() > 200) return false;
  const int64_t inner = x.sizes.back(), width = some_width(s);
  if (x.elements() * width > kProductsMax || x.elements() / std::max<int64_t>(inner, 1) * width > kElementsMax)
    return false;
  if (inner * width > kElementsMax) return false;
  Sizes sizes = x.sizes;
  sizes.back() = width;
  const auto other = [&](const Sizes& shape) { return s.of_type(x.dtype, shape).name; };
  const auto bias = [&] { return s.expandable(x.dtype, sizes).name; };
  const std::string scale = s.one_of({"", ", beta = 0.5, alpha = 2", ", beta = 2", ", beta = 0"});
  if (!is_float(x.dtype) && (kind == 3 || kind > 5)) return false;
  const auto emit = [&](const std::string& op, const std::string& arguments, const Sizes& shape) {
    s.call(op, arguments, x.dtype, shape);
    return true;
  };
  const Sizes outer(x.sizes.begin(), x.sizes.end() - 1);
  switch (kind) {
    case 0: return emit("matmul", x.name + ", " + other({inner, width}), sizes);
    case 1: return emit("matmul", x.name + ", " + other({inner}), outer);
    case 2:
      if (x.rank() != 2) return false;
      if (is_float(x.dtype) && s.one_in(2)) {
        const RandomValue added = s.expandable(x.dtype, outer);
        return emit("addmv", added.name + ", " + x.name + ", " + other({inner}) + scale, outer);
      }
      return emit("mv", x.name + ", " + other({inner}), outer);
    case 3:
      return emit("linear", x.name + ", " + other({width, inner}) + (s.one_in(2) ? ", " + other({width}) : ""), sizes);
    case 4:
      if (x.rank() != 3) return false;
      return emit("bmm", x.name + ", " + other({x.sizes[0], inner, width}), sizes);
    case 5:
      if (x.rank() != 2) return false;
      return emit("mm", x.name + ", " + other({inner, width}), sizes);
    case 6:
      if (x.rank() != 2) return false;
      return emit("addmm", bias() + ", " + x.name + ", " + other({inner, width}) + scale, sizes);
    case 7:
      if (x.rank() != 3) return false;
      return emit("baddbmm", bias() + ", " + x.name + ", " + other({x.sizes[0], inner, width}) + scale, sizes);
    default:
      if (x.rank() != 1) return false;
      if (s.one_in(2)) return emit("dot", x.name + ", " + other({inner}), {});
      return emit("outer", x.name + ", " + other({width}), {inner, width});
  }
}

bool emit_attention(RandomScope& s) {
  static constexpr int64_t kLengths[] = {5, 3, 7, 31, 1, 33};
  static constexpr int64_t kHeads[] = {4, 8, 5, 32};
  const DType dtype = s.some_float();
  Sizes lead = s.one_in(2) ? Sizes{2} : Sizes{1, 2};
  const int64_t from = s.one_of(kLengths), to = s.one_of(kLengths), head = s.one_of(kHeads);
  const auto shaped = [&](int64_t rows, int64_t columns) {
    Sizes sizes = lead;
    sizes.push_back(rows);
    sizes.push_back(columns);
    return sizes;
  };
  const RandomValue q = s.of_type(dtype, shaped(from, head)), k = s.of_type(dtype, shaped(to, head)),
                    v = s.of_type(dtype, shaped(to, head));
  std::string mask;
  if (s.one_in(3))
    mask = ", " + s.of_type(s.one_in(2) ? DType::boolean : dtype, {from, to}).name;
  else if (s.one_in(3))
    mask = ", is_causal = True";
  s.call("scaled_dot_product_attention", q.name + ", " + k.name + ", " + v.name + mask, dtype, q.sizes);
  return true;
}

bool emit_order(RandomScope& s) {
  const RandomValue x = s.numbers(1, 3);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank());
  if (x.sizes[dim] > 70 || x.elements() * x.sizes[dim] > kProductsMax) return false;
  const std::string order = std::to_string(dim), down = flag(s.one_in(2));
  const auto results = [&](const Sizes& sizes) {
    return std::vector<RandomValue>{{.name = "", .dtype = x.dtype, .sizes = sizes},
                                    {.name = "", .dtype = DType::i64, .sizes = sizes, .index_end = x.sizes[dim]}};
  };
  if (s.one_in(3) && is_float(x.dtype)) {  // topk promises no order of ties: the indices are nobody's
    Sizes sizes = x.sizes;
    sizes[dim] = std::min<int64_t>(sizes[dim], 1 + s.below(5));
    const RandomValue values = {.name = s.new_name(), .dtype = x.dtype, .sizes = sizes};
    s.line(values.name + ", " + s.new_name() + " = aten.topk(" + x.name + ", " + std::to_string(sizes[dim]) + ", " +
           order + ", " + down + ")");
    s.add(values);
  } else if (s.one_in(4)) {
    s.call_all("argsort.stable", x.name + ", stable = True, dim = " + order + ", descending = " + down,
               {results(x.sizes)[1]});
  } else {
    s.call_all("sort.stable", x.name + ", stable = True, dim = " + order + ", descending = " + down, results(x.sizes));
  }
  return true;
}

}  // namespace faultline::generate
