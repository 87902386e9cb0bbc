// What several updates of one place come to is left out where it is decided by the order of floats and nothing bounds
// it.
#include "generate/updates.h"

#include <algorithm>

#include "generate/elements.h"
#include "generate/numbers.h"
#include "generate/views.h"
#include "generate/moves.h"

namespace faultline::generate {

static constexpr int64_t kPairsMax = 60000;

// "scatter_add(x, 1, i, v)" out of place, or into x where it may be written.
static void emit_updated(RandomScope& s, const RandomValue& x, const std::string& op, const std::string& overload,
                         const std::string& arguments) {
  if (!x.writable || x.index_end > 0 || !s.one_in(4)) {
    s.call(op + overload, x.name + ", " + arguments, x.dtype, x.sizes);
    return;
  }
  RandomValue same = x;
  same.name = s.new_name();
  s.line(same.name + " = aten." + op + "_" + overload + "(" + x.name + ", " + arguments + ")");
  s.add(same);
}

static std::string number_for(RandomScope& s, DType dtype) {
  return is_float(dtype) ? s.one_of({"0.3", "-2", "1"}) : s.one_of({"2", "1"});
}

// What several updates of one place come to.
static void emit_scatter_reduce(RandomScope& s, const RandomValue& x, const std::string& start,
                                const std::string& source, int64_t count) {
  static constexpr const char* kWords[] = {"sum", "mean", "amax", "amin", "prod"};
  const std::string word = is_float(x.dtype) && count <= 5 ? s.one_of(kWords) : kWords[2 * s.below(2)];
  emit_updated(s, x, "scatter_reduce", ".two",
               start + source + ", \"" + word + "\"" + s.one_of({"", ", include_self = False"}));
}

bool emit_update(RandomScope& s) {
  static constexpr int64_t kCounts[] = {3, 1, 5, 33, 2, 12};
  const RandomValue x = s.any(1, 3);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank()), count = s.one_of(kCounts), size = x.sizes[dim];
  if (x.elements() * count > kPairsMax) return false;
  Sizes sizes = x.sizes;
  sizes[dim] = count;
  Sizes shape = sizes;
  if (dim > 0 && s.one_in(3)) shape[0] = 1;
  const std::string place = number(s.one_in(2) ? dim : dim - x.rank()) + ", ";
  const auto start = [&] { return place + some_index(s, size, shape, true).name + ", "; };
  const auto line = [&] { return place + some_index(s, size, {count}, true).name + ", "; };
  const auto source = [&] { return s.of_type(x.dtype, sizes, x.storage).name; };
  const bool truth = x.dtype == DType::boolean;
  switch (s.below(truth ? 5 : 8)) {
    case 0: emit_updated(s, x, "scatter", ".src", start() + source()); break;
    case 1: emit_updated(s, x, "scatter", ".value", start() + number_for(s, x.dtype)); break;
    case 2: emit_updated(s, x, "index_copy", "", line() + source()); break;
    case 3: emit_updated(s, x, "index_fill", ".int_Scalar", line() + number_for(s, x.dtype)); break;
    case 4: {
      if (x.elements() * x.elements() > 4 * kPairsMax) return false;
      const std::string mask = s.of_type(DType::boolean, x.sizes, x.storage).name;
      emit_updated(s, x, "masked_scatter", "", mask + ", " + s.of_type(x.dtype, x.sizes, x.storage).name);
      break;
    }
    case 5: emit_updated(s, x, "scatter_add", "", start() + source()); break;
    case 6: {
      const std::string alpha = s.one_in(3) ? ", alpha = 2" : "";
      emit_updated(s, x, "index_add", "", line() + source() + alpha);
      break;
    }
    default: {
      const std::string index = start();
      emit_scatter_reduce(s, x, index, source(), count);
    }
  }
  return true;
}

bool emit_put(RandomScope& s) {
  static constexpr int64_t kCounts[] = {3, 1, 5, 12};
  const RandomValue x = s.any(1, 3);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank()), count = s.one_of(kCounts);
  if (x.elements() * count * 2 > kPairsMax) return false;
  std::string list;
  for (int64_t d = 0; d < dim; ++d) list += "None, ";
  const Sizes shape = s.one_in(3) ? Sizes{2, count} : Sizes{count};
  list += some_index(s, x.sizes[dim], shape, true).name;
  Sizes sizes(x.sizes.begin(), x.sizes.begin() + dim);
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  const bool two = dim + 1 < x.rank() && s.one_in(3);
  if (two) list += ", " + some_index(s, x.sizes[dim + 1], {count}, true).name;
  sizes.insert(sizes.end(), x.sizes.begin() + dim + (two ? 2 : 1), x.sizes.end());
  const std::string values = s.expandable(x.dtype, sizes, x.storage).name;
  emit_updated(s, x, "index_put", "", "[" + list + "], " + values + s.one_of({"", ", True"}));
  return true;
}

bool emit_scan(RandomScope& s) {
  const RandomValue x = s.any(1, 3);
  if (!has_elements(x)) return false;
  const int64_t dim = s.below(x.rank());
  if (x.elements() * x.sizes[dim] > 2 * kPairsMax) return false;
  const std::string arguments = x.name + ", " + number(s.one_in(2) ? dim : dim - x.rank());
  const bool real = is_float(x.dtype);
  if (real && s.one_in(4))
    s.call("logcumsumexp", arguments, x.dtype, x.sizes);
  else if (real && x.sizes[dim] <= 33 && s.one_in(3))
    s.call("cumprod", arguments, x.dtype, x.sizes);
  else
    s.call("cumsum", arguments, sum_type(x.dtype), x.sizes);
  return true;
}

bool emit_taken(RandomScope& s) {
  static constexpr int64_t kCounts[] = {3, 1, 5, 33};
  const int64_t count = s.one_of(kCounts);
  if (s.one_in(2)) {
    const RandomValue x = s.any(1);
    if (!has_elements(x)) return false;
    const Sizes shape = s.one_in(2) ? Sizes{count} : Sizes{2, count};
    s.call("take", x.name + ", " + some_index(s, x.elements(), shape, true).name, x.dtype, shape);
    return true;
  }
  const RandomValue x = s.floats(2, 3);
  const Sizes outer(x.sizes.begin(), x.sizes.end() - 1), sizes = {count, x.sizes.back()};
  if (!has_elements(x) || x.elements() * count > kPairsMax) return false;
  s.call("embedding_dense_backward",
         x.name + ", " + some_index(s, count, outer, true).name + ", " + number(count) + s.one_of({", -1", ", 0"}) +
             ", False",
         x.dtype, sizes);
  return true;
}

}  // namespace faultline::generate
