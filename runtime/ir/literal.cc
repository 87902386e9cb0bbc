// Literals: construction, and text by the shortest decimal that reads back.
#include "runtime/ir/literal.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace faultline {

bool same_number(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool Literal::operator==(const Literal& other) const {
  return dtype == other.dtype && same_number(real, other.real) && integer == other.integer && neutral == other.neutral;
}

std::string to_text(const Literal& literal) {
  if (literal.neutral) return fmt::format("neutral({}):{}", name(*literal.neutral), name(literal.dtype));
  if (literal.dtype == DType::boolean) return fmt::format("{}:bool", literal.integer != 0);
  if (is_float(literal.dtype)) return fmt::format("{}:{}", literal.real, name(literal.dtype));
  return fmt::format("{}:{}", literal.integer, name(literal.dtype));
}

Literal real_literal(double value, DType dtype) { return {dtype, value, 0, std::nullopt}; }
Literal integer_literal(int64_t value, DType dtype) { return {dtype, 0, value, std::nullopt}; }

static int64_t extreme_integer(DType dtype, bool least) {
  switch (dtype) {
    case DType::i32: return least ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
    case DType::i16: return least ? -32768 : 32767;
    case DType::i8: return least ? -128 : 127;
    case DType::u8: return least ? 0 : 255;
    case DType::boolean: return least ? 0 : 1;
    default: return least ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
}

Literal neutral_literal(Reduction reduction, DType dtype) {
  Literal literal{dtype, 0, 0, reduction};
  switch (reduction) {
    case Reduction::sum:
    case Reduction::any: break;
    case Reduction::prod:
    case Reduction::all:
      literal.real = is_float(dtype) ? 1 : 0;
      literal.integer = is_float(dtype) ? 0 : 1;
      break;
    case Reduction::max:
    case Reduction::argmax:
      if (is_float(dtype))
        literal.real = -std::numeric_limits<double>::infinity();
      else
        literal.integer = extreme_integer(dtype, true);
      break;
    case Reduction::min:
    case Reduction::argmin:
      if (is_float(dtype))
        literal.real = std::numeric_limits<double>::infinity();
      else
        literal.integer = extreme_integer(dtype, false);
      break;
  }
  return literal;
}

}  // namespace faultline
