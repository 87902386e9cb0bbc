// Patterns are tried from the cheapest on; each is checked against the whole table before it stands for it.
#include "runtime/layers/decompose/tables.h"

#include <algorithm>

#include "runtime/base/error.h"

namespace faultline {
namespace {

bool advances_by(std::span<const int64_t> table, int64_t step) {
  for (size_t i = 1; i < table.size(); ++i)
    if (table[i] - table[i - 1] != step) return false;
  return true;
}

// Every element of the operand, in order, equally often.
bool repeats(std::span<const int64_t> table, int64_t size) {
  const int64_t count = std::ssize(table);
  if (size == 0 || count % size != 0) return false;
  for (int64_t i = 0; i < count; ++i)
    if (table[i] != i / (count / size)) return false;
  return true;
}

int repeated(GraphBuilder& builder, int node, int dim, int64_t times) {
  Sizes spread = builder.sizes(node), joined = spread;
  spread.insert(spread.begin() + dim + 1, times);
  joined[dim] *= times;
  return builder.reshape(builder.expand(builder.insert_dim(node, dim + 1), spread), joined);
}

struct Fraction {
  int64_t factor = 0, start = 0, divisor = 1;
  int64_t at(int64_t i) const { return (i * factor + start) / divisor; }
};

bool gives(const Fraction& fraction, std::span<const int64_t> table) {
  for (size_t i = 0; i < table.size(); ++i)
    if (fraction.at(static_cast<int64_t>(i)) != table[i]) return false;
  return true;
}

// Slopes between the extremes that the table's ends allow, by rising divisor.
bool find_fraction(std::span<const int64_t> table, Fraction& found) {
  const int64_t count = std::ssize(table), rise = table.back() - table.front();
  if (rise < 0 || table.front() != 0) return false;
  for (int64_t divisor = 1; divisor <= 2 * count; ++divisor) {
    const int64_t least = std::max<int64_t>(rise * divisor / std::max<int64_t>(count, 1) - 1, 0);
    const int64_t most = ((rise + 1) * divisor) / std::max<int64_t>(count - 1, 1) + 1;
    for (int64_t factor = least; factor <= most; ++factor)
      for (int64_t start = 0; start < divisor; ++start) {
        found = {factor, start, divisor};
        if (gives(found, table)) return true;
      }
  }
  return false;
}

}  // namespace

int number_vector(GraphBuilder& builder, std::span<const int64_t> table) {
  const Sizes sizes = {std::ssize(table)};
  if (table.empty() || advances_by(table, 0))
    return builder.literal(integer_literal(table.empty() ? 0 : table[0], DType::i64), sizes);
  if (advances_by(table, table[1] - table[0])) return builder.iota(sizes, 0, table[0], table[1] - table[0]);
  if (Fraction fraction; table.size() <= 512 && find_fraction(table, fraction))
    return builder.with(Function::div, builder.iota(sizes, 0, fraction.start, fraction.factor),
                        static_cast<double>(fraction.divisor));
  std::vector<int> parts;
  for (const int64_t number : table) parts.push_back(builder.literal(integer_literal(number, DType::i64), {1}));
  return builder.concat(parts, 0);
}

int taken(GraphBuilder& builder, int node, int dim, std::span<const int64_t> table) {
  const int64_t size = builder.size(node, dim), count = std::ssize(table);
  for (const int64_t number : table) FAULTLINE_CHECK(number >= 0 && number < size, "a table of numbers inside");
  if (count == 0) return builder.slice(node, dim, 0, 0);
  if (advances_by(table, 0)) {
    Sizes spread = builder.sizes(node);
    spread[dim] = count;
    return builder.expand(builder.slice(node, dim, table[0], 1), spread);
  }
  const int64_t step = table[1] - table[0];
  if (step > 0 && advances_by(table, step)) return builder.slice(node, dim, table[0], count, step);
  if (step < 0 && advances_by(table, step))
    return builder.flip(builder.slice(node, dim, table.back(), count, -step), {dim});
  if (repeats(table, size)) return repeated(builder, node, dim, count / size);
  return builder.gather(node, number_vector(builder, table), dim);
}

}  // namespace faultline
