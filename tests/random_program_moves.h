// Random calls that move elements: views, copies of parts, joining, padding, turning, indexing; and creation.
#pragma once

#include "tests/random_program_numbers.h"

namespace faultline::random_test {

inline std::string number(int64_t value) { return std::to_string(value); }

// Two sizes with the product n, or n itself.
inline Sizes factored(RandomScope& s, int64_t n) {
  Sizes factors;
  for (const int64_t factor : {2, 3, 5, 7, 13, 31, 32, 64})
    if (n % factor == 0 && n > factor) factors.push_back(factor);
  if (factors.empty() || s.one_in(5)) return {n};
  const int64_t factor = factors[s.below(static_cast<int64_t>(factors.size()))];
  return s.one_in(2) ? Sizes{factor, n / factor} : Sizes{n / factor, factor};
}

inline bool emit_reshape(RandomScope& s) {
  static constexpr const char* kOps[] = {"reshape", "view", "reshape", "_unsafe_view", "reshape", "reshape"};
  const RandomValue x = s.any();
  if (!has_elements(x)) return false;
  Sizes sizes = factored(s, x.elements());
  if (s.one_in(3)) sizes.insert(sizes.begin() + s.below(static_cast<int64_t>(sizes.size()) + 1), 1);
  const std::string op = s.one_of(kOps);
  // What a reshape gives of a strided tensor is a copy: both ways a write to it is a write to something.
  s.call(op, x.name + ", " + list_text(sizes), x.dtype, sizes, x.writable);
  return true;
}

inline bool emit_shape(RandomScope& s) {
  const RandomValue x = s.any();
  Sizes sizes = x.sizes;
  switch (s.below(4)) {
    case 0: {
      const int64_t dim = s.below(x.rank() + 1);
      sizes.insert(sizes.begin() + dim, 1);
      if (x.rank() > 4) return false;
      s.call("unsqueeze", x.name + ", " + number(dim), x.dtype, sizes, x.writable);
      return true;
    }
    case 1:
      std::erase(sizes, 1);
      s.call("squeeze", x.name, x.dtype, sizes, x.writable);
      return true;
    case 2: {
      if (x.rank() < 2) return false;
      const int64_t first = s.below(x.rank() - 1);
      sizes[first] *= sizes[first + 1];
      sizes.erase(sizes.begin() + first + 1);
      s.call("flatten.using_ints", x.name + ", " + number(first) + ", " + number(first + 1), x.dtype, sizes,
             x.writable);
      return true;
    }
    default: {
      if (x.rank() == 0 || x.rank() > 3 || !has_elements(x)) return false;
      const int64_t dim = s.below(x.rank());
      const Sizes inner = factored(s, x.sizes[dim]);
      sizes.erase(sizes.begin() + dim);
      sizes.insert(sizes.begin() + dim, inner.begin(), inner.end());
      s.call("unflatten.int", x.name + ", " + number(dim) + ", " + list_text(inner), x.dtype, sizes, x.writable);
      return true;
    }
  }
}

inline bool emit_turn(RandomScope& s) {
  const RandomValue x = s.any(2);
  Sizes order(x.rank()), sizes = x.sizes;
  for (int d = 0; d < x.rank(); ++d) order[d] = d;
  const uint32_t kind = s.below(4);
  if (kind == 0) {
    for (int d = x.rank(); d-- > 1;) std::swap(order[d], order[s.below(d + 1)]);
    for (int d = 0; d < x.rank(); ++d) sizes[d] = x.sizes[order[d]];
    s.call("permute", x.name + ", " + list_text(order), x.dtype, sizes, x.writable);
    return true;
  }
  const int64_t a = kind == 1 ? x.rank() - 1 : s.below(x.rank()), b = kind == 1 ? x.rank() - 2 : s.below(x.rank());
  if (kind < 3) {
    std::swap(sizes[a], sizes[b]);
    if (kind == 1 && s.one_in(2))
      s.call("mT", x.name, x.dtype, sizes, x.writable);
    else
      s.call("transpose.int", x.name + ", " + number(a) + ", " + number(b), x.dtype, sizes, x.writable);
    return true;
  }
  sizes.erase(sizes.begin() + a);
  sizes.insert(sizes.begin() + b, x.sizes[a]);
  s.call("movedim.int", x.name + ", " + number(a) + ", " + number(b), x.dtype, sizes, x.writable);
  return true;
}

inline bool emit_expand(RandomScope& s) {
  const RandomValue x = s.any(0, 3);
  Sizes sizes = x.sizes;
  for (int64_t& size : sizes)
    if (size == 1) size = 1 + s.below(5);
  if (s.one_in(2)) sizes.insert(sizes.begin(), 1 + s.below(5));
  const int64_t count = element_count(sizes);
  if (count > kElementsMax) return false;
  s.call("expand", x.name + ", " + list_text(sizes), x.dtype, sizes, x.writable && count == x.elements());
  return true;
}

inline bool emit_part(RandomScope& s) {
  const RandomValue x = s.any(1);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank()), size = x.sizes[dim];
  Sizes sizes = x.sizes;
  const std::string start = x.name + ", " + number(dim) + ", ";
  switch (s.below(5)) {
    case 0: {
      sizes.erase(sizes.begin() + dim);
      const int64_t index = s.below(size);
      s.call("select.int", start + number(s.one_in(2) ? index : index - size), x.dtype, sizes, x.writable);
      return true;
    }
    case 1: {
      const int64_t first = s.below(size);
      sizes[dim] = 1 + s.below(size - first);
      s.call("narrow", start + number(first) + ", " + number(sizes[dim]), x.dtype, sizes, x.writable);
      return true;
    }
    case 2:
    case 3: {
      const int64_t first = s.below(size), step = 1 + (s.one_in(3) ? s.below(3) : 0);
      const int64_t end = first + 1 + s.below(size - first);
      sizes[dim] = (end - first + step - 1) / step;
      s.call("slice.Tensor", start + number(first) + ", " + number(end) + ", " + number(step), x.dtype, sizes,
             x.writable);
      return true;
    }
    default: {
      const int64_t first = 1 + s.below(size);
      if (first >= size || s.one_in(3)) return false;
      std::vector<RandomValue> pieces(2, {.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable});
      pieces[0].sizes[dim] = first;
      pieces[1].sizes[dim] = size - first;
      s.call_all("split_with_sizes", x.name + ", " + list_text({first, size - first}) + ", " + number(dim), pieces);
      return true;
    }
  }
}

inline bool emit_unbind(RandomScope& s) {
  const RandomValue x = s.any(1);
  const int64_t dim = s.below(x.rank()), size = x.sizes[dim];
  if (size < 1 || size > 5) return false;
  Sizes sizes = x.sizes;
  if (s.one_in(2)) {
    sizes.erase(sizes.begin() + dim);
    s.call_all("unbind.int", x.name + ", " + number(dim),
               std::vector<RandomValue>(size, {.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable}));
    return true;
  }
  const int64_t piece = 1 + s.below(size);
  std::vector<RandomValue> pieces;
  for (int64_t at = 0; at < size; at += piece) {
    sizes[dim] = std::min(piece, size - at);
    pieces.push_back({.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable});
  }
  s.call_all("split.Tensor", x.name + ", " + number(piece) + ", " + number(dim), pieces);
  return true;
}

inline bool emit_diagonal(RandomScope& s) {
  const RandomValue x = s.any(2, 3);
  if (s.one_in(2) || !has_elements(x)) {
    s.call(s.one_of({"triu", "tril"}), x.name + s.one_of({"", ", 1", ", -1"}), x.dtype, x.sizes);
    return true;
  }
  const int64_t rows = x.sizes[0], columns = x.sizes[1], offset = static_cast<int64_t>(s.below(3)) - 1;
  const int64_t count =
      std::max<int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows - 1, columns));
  Sizes sizes(x.sizes.begin() + 2, x.sizes.end());
  sizes.push_back(count);
  s.call("diagonal", x.name + ", " + number(offset), x.dtype, sizes, x.writable);
  return true;
}

inline bool emit_join(RandomScope& s) {
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

inline bool emit_pad(RandomScope& s) {
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
  s.call("constant_pad_nd", x.name + ", " + list_text(amounts) + value, x.dtype, sizes);
  return true;
}

inline bool emit_shift(RandomScope& s) {
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

inline bool emit_scatter(RandomScope& s) {
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

// An index that may stand for a dim of this size.
inline RandomValue some_index(RandomScope& s, int64_t size, const Sizes& sizes, bool wide) {
  for (const RandomValue& value : s.values())
    if (value.index_end > 0 && value.index_end <= size && value.sizes == sizes && value.dtype == DType::i64 &&
        s.one_in(2))
      return value;
  return s.indices(size, sizes, wide || s.one_in(3) ? DType::i64 : DType::i32);
}

inline bool emit_index(RandomScope& s) {
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

inline bool emit_creation(RandomScope& s) {
  const DType dtype = s.some_dtype();
  const std::string type = "dtype = " + std::string(name(dtype));
  const Sizes sizes = s.some_sizes(s.some_rank());
  switch (s.below(7)) {
    case 0: s.call("full", list_text(sizes) + s.one_of({", 1.5, ", ", 2, ", ", 0.1, "}) + type, dtype, sizes); break;
    case 1: s.call(s.one_of({"zeros", "ones"}), list_text(sizes) + ", " + type, dtype, sizes); break;
    case 2: {
      const RandomValue x = s.any();
      s.call(s.one_of({"new_zeros", "new_ones"}), x.name + ", " + list_text(sizes), x.dtype, sizes);
      break;
    }
    case 3: {
      const RandomValue x = s.any();
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

// A part of a tensor is written, and the whole is seen afterwards.
inline bool emit_write_through(RandomScope& s) {
  static constexpr bool (*kViews[])(RandomScope&) = {emit_part,    emit_turn,  emit_part,
                                                     emit_reshape, emit_shape, emit_diagonal};
  if (!s.one_of(kViews)(s)) return false;
  const RandomValue view = s.values().back();
  if (!view.writable || view.index_end > 0 || view.dtype == DType::boolean) return true;
  write_into(s, view);
  return true;
}

}  // namespace faultline::random_test
