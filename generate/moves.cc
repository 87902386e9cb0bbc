// Indices are parameters of their own, in range by their data.
#include "generate/moves.h"

#include <algorithm>

#include "generate/elements.h"
#include "generate/numbers.h"
#include "generate/views.h"

namespace faultline::generate {

bool emit_join(RandomScope& s) {
  const RandomValue x = s.any(0, 3);
  if (x.elements() * 3 > kElementsMax) return false;
  const int64_t count = 2 + s.below(2);
  std::vector<std::string> names = {x.name};
  Sizes sizes = x.sizes;
  if (x.rank() == 0 || s.one_in(3)) {
    for (int64_t k = 1; k < count; ++k) names.push_back(s.of_type(x.dtype, x.sizes).name);
    const int64_t dim = s.below(x.rank() + 1);
    sizes.insert(sizes.begin() + dim, count);
    s.call("stack", "[" + joined(names) + "], " + number(dim), x.dtype, sizes);
    return true;
  }
  const int64_t dim = s.below(x.rank());
  DType dtype = x.dtype;
  for (int64_t k = 1; k < count; ++k) {
    Sizes other = x.sizes;
    if (s.one_in(2)) other[dim] = 1 + s.below(66);
    if (element_count(other) > kElementsMax / 3) return false;
    const RandomValue y = s.of_type(s.one_in(6) ? s.some_dtype() : dtype, other);
    dtype = promote(dtype, y.dtype);
    sizes[dim] += other[dim];
    names.push_back(y.name);
  }
  s.call("cat", "[" + joined(names) + "], " + number(s.one_in(2) ? dim : dim - x.rank()), dtype, sizes);
  return true;
}

bool emit_pad(RandomScope& s) {
  const RandomValue x = s.any(1);
  Sizes sizes = x.sizes, amounts;
  const int count = 1 + static_cast<int>(s.below(std::min(x.rank(), 2)));
  for (int d = 0; d < count; ++d) {
    int64_t& size = sizes[x.rank() - 1 - d];
    for (int side = 0; side < 2; ++side) {
      const int64_t amount = s.one_in(4) ? -static_cast<int64_t>(s.below(2)) : s.below(4);
      if (size + amount < 1) return false;
      size += amount;
      amounts.push_back(amount);
    }
  }
  if (element_count(sizes) > kElementsMax) return false;
  const std::string value = is_float(x.dtype) ? s.one_of({"", ", 1.5", ", -3"}) : s.one_of({"", ", 1"});
  if (value.empty() && s.one_in(2))
    s.call("pad", x.name + ", " + list_text(amounts), x.dtype, sizes);
  else
    s.call("constant_pad_nd", x.name + ", " + list_text(amounts) + value, x.dtype, sizes);
  return true;
}

bool emit_shift(RandomScope& s) {
  const RandomValue x = s.any(1);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank());
  Sizes sizes = x.sizes;
  switch (s.below(5)) {
    case 0: s.call("flip", x.name + ", " + list_text(some_dims(s, x)), x.dtype, sizes); return true;
    case 1:
      s.call("roll", x.name + ", [" + s.one_of({"1", "-2", "3", "40"}) + "], " + list_text({dim}), x.dtype, sizes);
      return true;
    case 2:
      if (x.elements() * 2 > kElementsMax) return false;
      sizes[dim] *= 2;
      s.call("repeat_interleave.self_int", x.name + ", 2, " + number(dim), x.dtype, sizes);
      return true;
    case 3: s.call("clone", x.name, x.dtype, sizes); return true;
    default: {
      Sizes times(x.rank(), 1);
      times[dim] = 1 + s.below(3);
      sizes[dim] *= times[dim];
      if (s.one_in(3)) {
        times.insert(times.begin(), 2);
        sizes.insert(sizes.begin(), 2);
      }
      if (element_count(sizes) > kElementsMax) return false;
      s.call(s.one_of({"repeat", "tile"}), x.name + ", " + list_text(times), x.dtype, sizes);
      return true;
    }
  }
}

bool emit_scatter(RandomScope& s) {
  const RandomValue x = s.any(1);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank()), size = x.sizes[dim];
  Sizes part = x.sizes;
  if (s.one_in(2)) {
    part.erase(part.begin() + dim);
    const RandomValue source = s.of_type(x.dtype, part);
    s.call("select_scatter", x.name + ", " + source.name + ", " + number(dim) + ", " + number(s.below(size)), x.dtype,
           x.sizes);
    return true;
  }
  const int64_t first = s.below(size), end = first + 1 + s.below(size - first);
  part[dim] = end - first;
  const RandomValue source = s.of_type(x.dtype, part);
  s.call("slice_scatter", x.name + ", " + source.name + ", " + number(dim) + ", " + number(first) + ", " + number(end),
         x.dtype, x.sizes);
  return true;
}

RandomValue some_index(RandomScope& s, int64_t size, const Sizes& sizes, bool wide) {
  for (const RandomValue& value : s.values())
    if (value.index_end > 0 && value.index_end <= size && value.sizes == sizes && value.dtype == DType::i64 &&
        s.one_in(2))
      return value;
  return s.indices(size, sizes, wide || s.one_in(3) ? DType::i64 : DType::i32);
}

bool emit_index(RandomScope& s) {
  static constexpr int64_t kCounts[] = {3, 1, 5, 33, 2};
  const RandomValue x = s.any(1, 3);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank()), count = s.one_of(kCounts);
  Sizes sizes = x.sizes;
  sizes[dim] = count;
  if (element_count(sizes) > kElementsMax) return false;
  const std::string place = ", " + number(dim) + ", ";
  switch (s.below(4)) {
    case 0:
      s.call("index_select", x.name + place + some_index(s, x.sizes[dim], {count}, false).name, x.dtype, sizes);
      return true;
    case 1: {
      Sizes shape = sizes;
      if (s.one_in(2)) shape[0] = std::min<int64_t>(shape[0], 2);
      s.call("gather", x.name + place + some_index(s, x.sizes[dim], shape, true).name, x.dtype, shape);
      return true;
    }
    case 2: {
      if (x.rank() != 2) return false;
      const Sizes shape = s.one_in(2) ? Sizes{count} : Sizes{2, count};
      Sizes result = shape;
      result.push_back(x.sizes[1]);
      if (element_count(result) > kElementsMax) return false;
      s.call("embedding", x.name + ", " + some_index(s, x.sizes[0], shape, false).name, x.dtype, result);
      return true;
    }
    default: {
      std::string list;
      for (int64_t d = 0; d < dim; ++d) list += "None, ";
      s.call("index.Tensor", x.name + ", [" + list + some_index(s, x.sizes[dim], {count}, true).name + "]", x.dtype,
             sizes);
      return true;
    }
  }
}

bool emit_creation(RandomScope& s) {
  const DType dtype = s.some_dtype();
  const std::string type = "dtype = " + std::string(name(dtype));
  const Sizes sizes = s.some_sizes(s.some_rank());
  switch (s.below(7)) {
    case 0: s.call("full", list_text(sizes) + s.one_of({", 1.5, ", ", 2, ", ", 0.1, "}) + type, dtype, sizes); break;
    case 1: s.call(s.one_of({"zeros", "ones"}), list_text(sizes) + ", " + type, dtype, sizes); break;
    case 2: {
      const RandomValue x = s.any();
      if (s.one_in(3))
        s.call("new_full", x.name + ", " + list_text(sizes) + ", 3", x.dtype, sizes);
      else
        s.call(s.one_of({"new_zeros", "new_ones"}), x.name + ", " + list_text(sizes), x.dtype, sizes);
      break;
    }
    case 3: {
      const RandomValue x = s.any();
      if (s.one_in(3))
        s.call("full_like", x.name + ", 2", x.dtype, x.sizes);
      else
        s.call(s.one_of({"zeros_like", "ones_like"}), x.name, x.dtype, x.sizes);
      break;
    }
    case 4: {
      if (dtype == DType::boolean) return false;
      const int64_t count = some_width(s);
      s.call("arange", number(count) + ", " + type, dtype, {count});
      break;
    }
    case 5: {
      const int64_t count = 1 + s.below(5);
      s.call("eye", number(count) + ", " + type, dtype, {count, count});
      break;
    }
    default: s.call("scalar_tensor", s.one_of({"3, ", "0.1, ", "-1, "}) + type, dtype, {});
  }
  return true;
}

bool emit_write_through(RandomScope& s) {
  static constexpr bool (*kViews[])(RandomScope&) = {emit_part,    emit_turn,  emit_part,
                                                     emit_reshape, emit_shape, emit_diagonal};
  if (!s.one_of(kViews)(s)) return false;
  const RandomValue view = s.values().back();
  if (!view.writable || view.index_end > 0 || view.dtype == DType::boolean) return true;
  write_into(s, view);
  return true;
}

}  // namespace faultline::generate
