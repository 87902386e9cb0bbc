// One table for functions that StableHLO or CHLO has, and one function for each that it lacks or leaves open.
#include "runtime/backends/emit/stablehlo_function.h"

#include <fmt/format.h>

#include <limits>
#include <numbers>

#include "runtime/base/error.h"

namespace faultline {

namespace {

// As it is called there; empty for functions with more to say.
std::string_view operation_of(Function function) {
  switch (function) {
    case Function::neg: return "negate";
    case Function::add: return "add";
    case Function::sub: return "subtract";
    case Function::mul: return "multiply";
    case Function::div: return "divide";
    case Function::maximum: return "maximum";
    case Function::minimum: return "minimum";
    case Function::abs: return "abs";
    case Function::floor: return "floor";
    case Function::ceil: return "ceil";
    case Function::round: return "round_nearest_even";
    case Function::sqrt: return "sqrt";
    case Function::rsqrt: return "rsqrt";
    case Function::exp: return "exponential";
    case Function::expm1: return "exponential_minus_one";
    case Function::log: return "log";
    case Function::log1p: return "log_plus_one";
    case Function::sin: return "sine";
    case Function::cos: return "cosine";
    case Function::tan: return "tan";
    case Function::tanh: return "tanh";
    case Function::pow: return "power";
    case Function::fmod: return "remainder";
    case Function::atan2: return "atan2";
    case Function::bitwise_not: return "not";
    case Function::bitwise_and: return "and";
    case Function::bitwise_or: return "or";
    case Function::bitwise_xor: return "xor";
    default: return "";
  }
}

bool is_of_chlo(Function function) {
  switch (function) {
    case Function::asin:
    case Function::acos:
    case Function::atan:
    case Function::sinh:
    case Function::cosh:
    case Function::asinh:
    case Function::acosh:
    case Function::atanh:
    case Function::erf:
    case Function::erfc:
    case Function::lgamma: return true;
    default: return false;
  }
}

std::string_view direction_of(Function function) {
  switch (function) {
    case Function::equal: return "EQ";
    case Function::not_equal: return "NE";
    case Function::less: return "LT";
    case Function::less_equal: return "LE";
    case Function::greater: return "GT";
    case Function::greater_equal: return "GE";
    default: return "";
  }
}

// A literal operand decides at once what others are asked at run time.
bool is_literal_within(const HloValue& value, int64_t least, int64_t greatest) {
  return value.splat && value.splat->integer >= least && value.splat->integer <= greatest;
}

class FunctionEmitter {
 public:
  FunctionEmitter(HloWriter& writer, const std::vector<HloValue>& operands) : writer_(writer), operands_(operands) {}

  HloValue compare(Function function) {
    const HloValue& a = operands_[0];
    switch (function) {
      case Function::logical_not:
        return a.dtype == DType::boolean ? writer_.same("not", {a}) : writer_.compare("EQ", a, number(0));
      case Function::is_nan: return writer_.compare("NE", a, a);
      case Function::is_infinite:
        if (!is_float(a.dtype) || a.dtype == DType::f8e4m3)
          return writer_.constant(integer_literal(0, DType::boolean), a.sizes);
        return writer_.compare("EQ", writer_.same("abs", {a}), number(std::numeric_limits<double>::infinity()));
      default: return writer_.compare(direction_of(function), a, operands_[1]);
    }
  }

  HloValue on_floats(Function function) {
    const HloValue& a = operands_[0];
    switch (function) {
      case Function::reciprocal: return writer_.same("divide", {number(1), a});
      case Function::sign:  // of NaN it is 0 in PyTorch, and NaN in StableHLO
        return writer_.same("subtract", {writer_.convert(writer_.compare("GT", a, number(0)), a.dtype),
                                         writer_.convert(writer_.compare("LT", a, number(0)), a.dtype)});
      case Function::trunc:
        return writer_.select(writer_.compare("LT", a, number(0)), writer_.same("ceil", {a}),
                              writer_.same("floor", {a}));
      case Function::exp2: return writer_.same("power", {number(2), a});
      case Function::log2: return scaled_log(std::numbers::ln2);
      case Function::log10: return scaled_log(std::numbers::ln10);
      case Function::remainder: return floored(writer_.same("remainder", operands_));
      default: break;
    }
    if (is_of_chlo(function)) return writer_.chlo(name(function), a);
    return plain(function);
  }

  HloValue on_integers(Function function) {
    const HloValue& a = operands_[0];
    const bool is_unsigned = a.dtype == DType::u8;
    switch (function) {
      case Function::abs: return is_unsigned ? a : writer_.same("abs", {a});
      case Function::sign: return is_unsigned ? writer_.same("minimum", {a, number(1)}) : writer_.same("sign", {a});
      case Function::div: return quotient();
      case Function::fmod: return rest();
      case Function::remainder: return is_unsigned ? rest() : floored(rest());
      case Function::pow: return integer_power();
      case Function::shift_left:
      case Function::shift_right: return shift(function);
      default: return plain(function);
    }
  }

 private:
  HloValue number(double value) { return writer_.number(value, operands_[0]); }

  HloValue plain(Function function) {
    const std::string_view operation = operation_of(function);
    if (operation.empty())
      throw Rejected(std::string(name(function)),
                     fmt::format("{} of {} has no meaning in StableHLO", name(function), name(operands_[0].dtype)));
    return writer_.same(operation, operands_);
  }

  // In f32 at least: the constant itself is rounded.
  HloValue scaled_log(double base) {
    const DType dtype = operands_[0].dtype, wide = dtype == DType::f64 ? DType::f64 : DType::f32;
    const HloValue log = writer_.same("log", {writer_.convert(operands_[0], wide)});
    return writer_.cast(writer_.same("divide", {log, writer_.number(base, log)}), dtype);
  }

  // The rest with the divisor's sign.
  HloValue floored(const HloValue& rest) {
    const HloValue& b = operands_[1];
    const HloValue signs_differ =
        writer_.compare("NE", writer_.compare("LT", rest, number(0)), writer_.compare("LT", b, number(0)));
    const HloValue moves = writer_.same("and", {writer_.compare("NE", rest, number(0)), signs_differ});
    return writer_.select(moves, writer_.same("add", {rest, b}), rest);
  }

  struct Divisor {
    HloValue safe;                         // neither 0 nor -1 where those are asked for
    std::optional<HloValue> is_zero = {};  // none: it is known not to be
    std::optional<HloValue> is_minus_one = {};
  };
  Divisor divisor() {
    const HloValue& b = operands_[1];
    const int64_t greatest = std::numeric_limits<int64_t>::max();
    if (is_literal_within(b, 1, greatest) || is_literal_within(b, std::numeric_limits<int64_t>::min(), -2))
      return {.safe = b};
    Divisor result{.safe = b, .is_zero = writer_.compare("EQ", b, number(0))};
    HloValue odd = *result.is_zero;
    if (b.dtype != DType::u8) {
      result.is_minus_one = writer_.compare("EQ", b, number(-1));
      odd = writer_.same("or", {odd, *result.is_minus_one});
    }
    result.safe = writer_.select(odd, number(1), b);
    return result;
  }

  // By zero it is 0; the least integer by -1 wraps.
  HloValue quotient() {
    const Divisor by = divisor();
    HloValue result = writer_.same("divide", {operands_[0], by.safe});
    if (by.is_minus_one) result = writer_.select(*by.is_minus_one, writer_.same("negate", {operands_[0]}), result);
    return by.is_zero ? writer_.select(*by.is_zero, number(0), result) : result;
  }

  // Of a division by zero, and by -1, it is 0: that of a division by 1.
  HloValue rest() { return writer_.same("remainder", {operands_[0], divisor().safe}); }

  HloValue integer_power() {
    const HloValue &a = operands_[0], &b = operands_[1];
    if (a.dtype == DType::u8 || is_literal_within(b, 0, std::numeric_limits<int64_t>::max()))
      return plain(Function::pow);
    const HloValue power = writer_.same("power", {a, writer_.same("maximum", {b, number(0)})});
    const HloValue odd = writer_.compare("NE", writer_.same("and", {b, number(1)}), number(0));
    const HloValue of_minus_one = writer_.select(odd, number(-1), number(1));
    HloValue inverse = writer_.select(writer_.compare("EQ", a, number(-1)), of_minus_one, number(0));
    inverse = writer_.select(writer_.compare("EQ", a, number(1)), number(1), inverse);
    return writer_.select(writer_.compare("LT", b, number(0)), inverse, power);
  }

  // By a negative count, or the width and more: 0 to the left, the sign to the right.
  HloValue shift(Function function) {
    const HloValue &a = operands_[0], &b = operands_[1];
    if (a.dtype == DType::boolean) return plain(function);  // which it rejects
    const int64_t width = 8 * byte_size(a.dtype);
    const bool left = function == Function::shift_left, is_unsigned = a.dtype == DType::u8;
    const std::string_view operation = left          ? "shift_left"
                                       : is_unsigned ? "shift_right_logical"
                                                     : "shift_right_arithmetic";
    if (is_literal_within(b, 0, width - 1)) return writer_.same(operation, {a, b});
    HloValue out = writer_.compare("GE", b, number(static_cast<double>(width)));
    if (!is_unsigned) out = writer_.same("or", {out, writer_.compare("LT", b, number(0))});
    const HloValue count = writer_.select(out, number(static_cast<double>(width - 1)), b);
    const HloValue shifted = writer_.same(operation, {a, count});
    return left || is_unsigned ? writer_.select(out, number(0), shifted) : shifted;
  }

  HloWriter& writer_;
  const std::vector<HloValue>& operands_;
};

// Computed in f32 and cast: everything in f8e4m3, for its overflow, and of 8- and 16-bit floats the functions of CHLO,
// which become long formulas in the type that they are given in.
bool is_widened(Function function, DType dtype) {
  if (dtype == DType::f8e4m3) return true;
  return is_of_chlo(function) && byte_size(dtype) < byte_size(DType::f32);
}

}  // namespace

HloValue emit_function(HloWriter& writer, Function function, DType dtype, const std::vector<HloValue>& operands) {
  switch (function) {
    case Function::select: return writer.select(operands[0], operands[1], operands[2]);
    case Function::cast: return writer.cast(operands[0], dtype);
    case Function::refresh: return operands[0];
    default: break;
  }
  if (row(function).kind == FunctionKind::compare) return FunctionEmitter(writer, operands).compare(function);
  if (!is_float(dtype)) return FunctionEmitter(writer, operands).on_integers(function);
  if (!is_widened(function, dtype)) return FunctionEmitter(writer, operands).on_floats(function);
  std::vector<HloValue> wide;
  for (const HloValue& operand : operands) wide.push_back(writer.convert(operand, DType::f32));
  return writer.cast(FunctionEmitter(writer, wide).on_floats(function), dtype);
}

}  // namespace faultline
