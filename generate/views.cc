// Whether the result is a view is for eager to say; the scope only keeps what may share memory apart.
#include "generate/views.h"

#include <algorithm>

#include "generate/numbers.h"

namespace faultline::generate {

std::string number(int64_t value) { return std::to_string(value); }

// Two sizes with the product n, or n itself.
static Sizes factored(RandomScope& s, int64_t n) {
  Sizes factors;
  for (const int64_t factor : {2, 3, 5, 7, 13, 31, 32, 64})
    if (n % factor == 0 && n > factor) factors.push_back(factor);
  if (factors.empty() || s.one_in(5)) return {n};
  const int64_t factor = factors[s.below(static_cast<int64_t>(factors.size()))];
  return s.one_in(2) ? Sizes{factor, n / factor} : Sizes{n / factor, factor};
}

bool emit_reshape(RandomScope& s) {
  static constexpr const char* kOps[] = {"reshape", "view", "reshape", "_unsafe_view", "reshape", "reshape"};
  const RandomValue x = s.any();
  if (!has_elements(x)) return false;
  Sizes sizes = factored(s, x.elements());
  if (s.one_in(3)) sizes.insert(sizes.begin() + s.below(static_cast<int64_t>(sizes.size()) + 1), 1);
  if (s.one_in(6)) {
    const RandomValue like = s.of_type(s.some_dtype(), sizes);
    s.view("reshape_as", x.name + ", " + like.name, x, sizes);
    return true;
  }
  const std::string drawn = s.one_of(kOps);
  // No user writes _unsafe_view, which promises that nothing writes to its base: torch may break what does.
  const std::string op = drawn == "_unsafe_view" && s.style().as_reported ? "view" : drawn;
  // What a reshape gives of a strided tensor is a copy: both ways a write to it is a write to something.
  s.view(op, x.name + ", " + list_text(sizes), x, sizes);
  return true;
}

bool emit_shape(RandomScope& s) {
  const RandomValue x = s.any();
  Sizes sizes = x.sizes;
  switch (s.below(5)) {
    case 0: {
      const int64_t dim = s.below(x.rank() + 1);
      sizes.insert(sizes.begin() + dim, 1);
      if (x.rank() > 4) return false;
      s.view("unsqueeze", x.name + ", " + number(dim), x, sizes);
      return true;
    }
    case 4: s.view(s.one_of({"alias", "detach"}), x.name, x, sizes); return true;
    case 1:
      std::erase(sizes, 1);
      s.view("squeeze", x.name, x, sizes);
      return true;
    case 2: {
      if (x.rank() < 2) return false;
      const int64_t first = s.below(x.rank() - 1);
      sizes[first] *= sizes[first + 1];
      sizes.erase(sizes.begin() + first + 1);
      s.view("flatten.using_ints", x.name + ", " + number(first) + ", " + number(first + 1), x, sizes);
      return true;
    }
    default: {
      if (x.rank() == 0 || x.rank() > 3 || !has_elements(x)) return false;
      const int64_t dim = s.below(x.rank());
      const Sizes inner = factored(s, x.sizes[dim]);
      sizes.erase(sizes.begin() + dim);
      sizes.insert(sizes.begin() + dim, inner.begin(), inner.end());
      s.view("unflatten.int", x.name + ", " + number(dim) + ", " + list_text(inner), x, sizes);
      return true;
    }
  }
}

bool emit_turn(RandomScope& s) {
  const RandomValue x = s.any(2);
  Sizes order(x.rank()), sizes = x.sizes;
  for (int d = 0; d < x.rank(); ++d) order[d] = d;
  const uint32_t kind = s.below(4);
  if (kind == 0) {
    for (int d = x.rank(); d-- > 1;) std::swap(order[d], order[s.below(d + 1)]);
    for (int d = 0; d < x.rank(); ++d) sizes[d] = x.sizes[order[d]];
    s.view("permute", x.name + ", " + list_text(order), x, sizes);
    return true;
  }
  const int64_t a = kind == 1 ? x.rank() - 1 : s.below(x.rank()), b = kind == 1 ? x.rank() - 2 : s.below(x.rank());
  if (kind < 3) {
    std::swap(sizes[a], sizes[b]);
    if (kind == 1 && x.rank() == 2 && s.one_in(2))
      s.view(s.one_of({"t", "numpy_T"}), x.name, x, sizes);
    else if (kind == 1 && s.one_in(2))
      s.view("mT", x.name, x, sizes);
    else
      s.view("transpose.int", x.name + ", " + number(a) + ", " + number(b), x, sizes);
    return true;
  }
  sizes.erase(sizes.begin() + a);
  sizes.insert(sizes.begin() + b, x.sizes[a]);
  s.view("movedim.int", x.name + ", " + number(a) + ", " + number(b), x, sizes);
  return true;
}

bool emit_expand(RandomScope& s) {
  const RandomValue x = s.any(0, 3);
  Sizes sizes = x.sizes;
  for (int64_t& size : sizes)
    if (size == 1) size = 1 + s.below(5);
  if (s.one_in(2)) sizes.insert(sizes.begin(), 1 + s.below(5));
  const int64_t count = element_count(sizes);
  if (count > kElementsMax) return false;
  RandomValue shown = x;
  shown.sizes = sizes;
  shown.writable = x.writable && count == x.elements();
  if (s.one_in(6)) {
    const RandomValue like = s.of_type(s.some_dtype(), sizes);
    s.call("expand_as", x.name + ", " + like.name, shown);
    return true;
  }
  s.call("expand", x.name + ", " + list_text(sizes), shown);
  return true;
}

bool emit_part(RandomScope& s) {
  const RandomValue x = s.any(1);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank()), size = x.sizes[dim];
  Sizes sizes = x.sizes;
  const std::string start = x.name + ", " + number(dim) + ", ";
  switch (s.below(6)) {
    case 0: {
      sizes.erase(sizes.begin() + dim);
      const int64_t index = s.below(size);
      s.view("select.int", start + number(s.one_in(2) ? index : index - size), x, sizes);
      return true;
    }
    case 1: {
      const int64_t first = s.below(size);
      sizes[dim] = 1 + s.below(size - first);
      s.view("narrow", start + number(first) + ", " + number(sizes[dim]), x, sizes);
      return true;
    }
    case 2:
    case 3: {
      const int64_t first = s.below(size), step = 1 + (s.one_in(3) ? s.below(3) : 0);
      const int64_t end = first + 1 + s.below(size - first);
      sizes[dim] = (end - first + step - 1) / step;
      s.view("slice.Tensor", start + number(first) + ", " + number(end) + ", " + number(step), x, sizes);
      return true;
    }
    case 5: {  // a window on the storage, from the tensor's own start
      const int64_t count = 1 + s.below(std::min<int64_t>(x.elements(), 5));
      const int64_t step = 1 + s.below(count == 1 ? 1 : (x.elements() - 1) / (count - 1));
      s.view("as_strided", x.name + ", " + list_text({count}) + ", " + list_text({step}), x, {count});
      return true;
    }
    default: {
      const int64_t first = 1 + s.below(size);
      if (first >= size || s.one_in(3)) return false;
      std::vector<RandomValue> pieces(
          2, {.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable, .storage = x.storage});
      pieces[0].sizes[dim] = first;
      pieces[1].sizes[dim] = size - first;
      s.call_all("split_with_sizes", x.name + ", " + list_text({first, size - first}) + ", " + number(dim), pieces);
      return true;
    }
  }
}

bool emit_unbind(RandomScope& s) {
  const RandomValue x = s.any(1);
  const int64_t dim = s.below(x.rank()), size = x.sizes[dim];
  if (size < 1 || size > 5) return false;
  Sizes sizes = x.sizes;
  if (s.one_in(2)) {
    sizes.erase(sizes.begin() + dim);
    s.call_all("unbind.int", x.name + ", " + number(dim),
               std::vector<RandomValue>(
                   size, {.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable, .storage = x.storage}));
    return true;
  }
  const bool chunks = s.one_in(3);
  const int64_t count = 1 + s.below(3), piece = chunks ? (size + count - 1) / count : 1 + s.below(size);
  std::vector<RandomValue> pieces;
  for (int64_t at = 0; at < size; at += piece) {
    sizes[dim] = std::min(piece, size - at);
    pieces.push_back({.name = "", .dtype = x.dtype, .sizes = sizes, .writable = x.writable, .storage = x.storage});
  }
  s.call_all(chunks ? "chunk" : "split.Tensor", x.name + ", " + number(chunks ? count : piece) + ", " + number(dim),
             pieces);
  return true;
}

bool emit_diagonal(RandomScope& s) {
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
  s.view("diagonal", x.name + ", " + number(offset), x, sizes);
  return true;
}

}  // namespace faultline::generate
