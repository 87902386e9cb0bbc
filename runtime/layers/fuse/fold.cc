// Constant folding that is the same in every domain. A folded value must be one that the field, the machine and fp64
// agree on: only numbers that are short exact decimals and representable in their dtype take part, and only results
// that are so again. Everything else stays in the graph (0.1 + 0.2 is 3/10 in the field and 0.30000000000000004 in
// fp64).
#include <algorithm>
#include <cmath>

#include "runtime/layers/fuse/fuse_graph.h"
#include "runtime/numerics/format.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

// Multiples of 1/64 below 2^26 have at most 14 decimal digits, so their shortest decimal is the number itself.
static bool is_exact(double value, DType dtype) {
  if (!std::isfinite(value) || std::abs(value) >= 0x1p26 || (value == 0 && std::signbit(value))) return false;
  if (std::trunc(value * 64) != value * 64) return false;
  return round_to(host_format(dtype), value) == value;
}

// Small enough for every signed and unsigned dtype, or for 32 bits.
static bool is_exact(int64_t value, DType dtype) {
  if (dtype == DType::boolean) return value == 0 || value == 1;
  if (dtype == DType::i64 || dtype == DType::i32) return std::abs(value) < (int64_t{1} << 30);
  return dtype == DType::u8 ? value >= 0 && value < 256 : value >= -128 && value < 128;
}

static bool is_exact(const Literal& literal) {
  if (literal.neutral) return false;
  return is_float(literal.dtype) ? is_exact(literal.real, literal.dtype) : is_exact(literal.integer, literal.dtype);
}

template <class Number>
static std::optional<bool> compared(Function function, Number a, Number b) {
  switch (function) {
    case Function::equal:
    case Function::not_equal:
    case Function::less:
    case Function::less_equal:
    case Function::greater:
    case Function::greater_equal: return scalar_compare(function, a, b);
    default: return std::nullopt;
  }
}

template <class Number>
static std::optional<Number> computed(Function function, Number a, Number b) {
  switch (function) {
    case Function::neg: return -a;
    case Function::add: return a + b;
    case Function::sub: return a - b;
    case Function::mul: return a * b;
    default: return std::nullopt;
  }
}

static std::optional<Literal> folded_cast(const Literal& from, DType dtype) {
  const double number = is_float(from.dtype) ? from.real : static_cast<double>(from.integer);
  Literal literal{dtype, 0, 0, std::nullopt};
  if (is_float(dtype))
    literal.real = number;
  else if (dtype == DType::boolean)
    literal.integer = number != 0;
  else if (std::trunc(number) == number)
    literal.integer = static_cast<int64_t>(number);
  else
    return std::nullopt;
  return literal;
}

static std::optional<Literal> folded_pointwise(const PrimNode& node, const std::vector<Literal>& operands) {
  if (operands.size() > 2) return std::nullopt;
  for (const Literal& operand : operands)
    if (!is_exact(operand) || operand.dtype != operands[0].dtype) return std::nullopt;
  const Literal &a = operands.front(), &b = operands.back();
  const bool real = is_float(a.dtype);
  std::optional<Literal> result;
  if (node.function == Function::cast) {
    result = folded_cast(a, node.dtype);
  } else if (node.dtype == DType::boolean) {
    const auto truth = real ? compared(node.function, a.real, b.real) : compared(node.function, a.integer, b.integer);
    if (truth) result = integer_literal(*truth, DType::boolean);
  } else if (node.dtype == a.dtype && real) {
    auto value = computed(node.function, a.real, b.real);
    if (node.function == Function::div && b.real != 0 && a.real / b.real * b.real == a.real) value = a.real / b.real;
    if (value) result = real_literal(*value, node.dtype);
  } else if (node.dtype == a.dtype) {
    if (const auto value = computed(node.function, a.integer, b.integer)) result = integer_literal(*value, node.dtype);
  }
  if (result && !is_exact(*result)) return std::nullopt;
  return result;
}

std::optional<PrimNode> folded(const PrimNode& node, const std::vector<const PrimNode*>& operands) {
  std::vector<Literal> literals;
  for (const PrimNode* operand : operands) {
    if (operand->prim != Prim::literal) return std::nullopt;
    literals.push_back(operand->literal);
  }
  if (literals.empty()) return std::nullopt;
  std::optional<Literal> value;
  const bool moves = is_movement(node.prim) && node.prim != Prim::gather;
  const bool equal = std::all_of(literals.begin(), literals.end(), [&](const Literal& l) { return l == literals[0]; });
  if (moves && equal)
    value = literals[0];
  else if (node.prim == Prim::pointwise)
    value = folded_pointwise(node, literals);
  if (!value) return std::nullopt;
  PrimNode literal;
  literal.prim = Prim::literal;
  literal.dtype = node.dtype;
  literal.sizes = node.sizes;
  literal.literal = *value;
  literal.origin = node.origin;
  return literal;
}

}  // namespace faultline
