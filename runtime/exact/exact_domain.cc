// Casts, comparisons, integers and memory; functions of floats are in exact_functions.cc, sums in exact_sums.cc.
#include "runtime/exact/exact_domain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/exact/late_flush.h"
#include "runtime/numerics/rounding.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

static_assert(ElementDomain<ExactDomain>);

using Value = ExactDomain::Value;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Value concrete(int64_t number, uint32_t reasons = 0) {
  Value value;
  value.integer = number;
  value.reasons = reasons;
  return value;
}

static bool poisoned(const Value& value) { return (value.reasons & Bounded::poison) != 0; }

static Value poison_value(uint32_t allocation) {
  Value value;
  value.value = std::numeric_limits<double>::quiet_NaN();
  value.reasons = Bounded::poison;
  value.allocation = allocation;
  return value;
}

ExactDomain::ExactDomain(const Arithmetic& arithmetic, ErrorProfile profile)
    : formats_(arithmetic), profile_(std::move(profile)) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_float(dtype) || !formats_.knows(dtype)) continue;
    const Format compute = formats_.at(dtype).compute, cut = arithmetic.multiplicand_format(dtype);
    signed_zeros_ = signed_zeros_ && compute != Format::dl16;
    function_format_[i] = arithmetic.function_format(dtype);
    multiplicand_roundoff_[i] = holds(cut, compute) ? 0 : limits(cut).unit_roundoff;
  }
}

// DL16 has one code for NaN and both infinities; f8e4m3 has no infinity, and whether one becomes NaN or the largest
// number is the machine's choice. A machine that flushes subnormals may read one as 0. Asked where such a value comes
// into being.
void ExactDomain::note_special(DType dtype, Value& value) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  const bool merged = formats.compute == Format::dl16 || formats.storage == Format::dl16;
  if (merged && !std::isfinite(value.value)) value.reasons |= Bounded::special;
  if (formats.storage == Format::f8e4m3 && std::isinf(value.value)) value.reasons |= Bounded::special;
  const double normal = limits(formats.compute).smallest_normal;
  if (value.value != 0 && std::fabs(value.value) < normal && formats_.arithmetic().flushes_subnormals(dtype))
    value.bound = std::max(value.bound, normal);
}

void ExactDomain::settle(DType dtype, Value& value) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  const double largest = std::min(limits(formats.compute).largest, limits(formats.storage).largest);
  const double reach = std::fabs(value.value) + value.bound;
  if (std::isfinite(reach) && reach > largest) value.reasons |= Bounded::overflow;
}

static Value compare(Function function, bool real, const Value& x, const Value& y) {
  if (poisoned(x)) return x;
  if (poisoned(y)) return y;
  uint32_t reasons = x.reasons | y.reasons;
  // Whatever an infinity has become, it equals no finite number.
  const bool equality = function == Function::equal || function == Function::not_equal;
  if (real && equality && std::isfinite(x.value) != std::isfinite(y.value)) reasons &= ~uint32_t{Bounded::special};
  if (!real) return concrete(scalar_compare(function, x.integer, y.integer), reasons);
  Value out = concrete(scalar_compare(function, x.value, y.value), reasons);
  if (function == Function::is_nan || function == Function::is_infinite) return out;
  const double other = function == Function::logical_not ? 0 : y.value;
  const double margin = x.bound + (function == Function::logical_not ? 0 : y.bound);
  if (margin > 0 && std::fabs(x.value - other) <= margin) out.reasons |= Bounded::branch;
  return out;
}

// With an unstable predicate either arm is right: the bound reaches to the other one.
Value ExactDomain::select(bool real, const Value& mask, const Value& yes, const Value& no) {
  if (poisoned(mask)) return mask;
  Value out = mask.integer != 0 ? yes : no;
  const Value& other = mask.integer != 0 ? no : yes;
  if (poisoned(out)) return out;
  out.reasons |= mask.reasons & ~uint32_t{Bounded::branch};
  return (mask.reasons & Bounded::branch) == 0 ? out : either(real, out, mask.integer != 0 ? yes : no, other);
}

Value ExactDomain::to_whole(Format format, const Value& value) const {
  Value out = concrete(float_to_integer(format, value.value), value.reasons);
  const double low = value.value - value.bound, high = value.value + value.bound;
  if (format == Format::bool8) {
    if (value.bound > 0 && low <= 0 && high >= 0) out.reasons |= Bounded::branch;
    return out;
  }
  const bool inside = std::trunc(low) >= static_cast<double>(least_integer(format)) &&
                      std::trunc(high) < static_cast<double>(greatest_integer(format)) + 1;
  if (!inside)
    out.reasons |= Bounded::undefined;
  else if (std::trunc(low) != std::trunc(high))
    out.reasons |= Bounded::branch;
  return out;
}

Value ExactDomain::kept_integer(DType dtype, int64_t number, uint32_t reasons) const {
  const int64_t own = wrap_integer(host_format(dtype), number);
  Value value = concrete(wrap_integer(formats_.at(dtype).compute, own), reasons);
  if (value.integer != own) value.reasons |= Bounded::overflow;
  return value;
}

Value ExactDomain::cast(DType result, DType operand, const Value& value) const {
  if (poisoned(value)) return value;
  const FormatTable::Row& formats = formats_.at(result);
  if (!is_float(result)) {
    if (is_float(operand)) return to_whole(formats.compute, value);
    Value kept = kept_integer(result, value.integer, value.reasons);
    if (result == DType::i64 || result == DType::i32) kept.choice = value.choice;
    return kept;
  }
  Value out;
  out.reasons = value.reasons;
  out.value = is_float(operand) ? value.value : static_cast<double>(value.integer);
  out.bound = is_float(operand) ? value.bound : 0;
  if (!is_float(operand) && sticky_double(value.integer) != out.value) out.bound = ulp(Format::f64, out.value) / 2;
  if (profile_.strict_casts && std::isfinite(out.value)) out.value = round_to(formats.compute, out.value);
  if (std::isfinite(out.value) && std::isfinite(out.bound) && !(out.bound == 0 && representable(result, out.value))) {
    const double magnitude = std::fabs(out.value) + out.bound;
    const Format from = is_float(operand) ? formats_.at(operand).compute : Format::f64;
    out.bound += narrowing(result, from, magnitude) + late_flush(formats_.arithmetic(), result, out.value, out.bound);
  }
  if (!is_float(operand) || formats_.at(operand).compute != Format::dl16) note_special(result, out);
  settle(result, out);
  return out;
}

// A sure operand that settles the result whatever the other is.
static bool decides(Function function, Format format, const Value& x) {
  if (x.reasons != 0) return false;
  if (function == Function::bitwise_and || function == Function::mul) return x.integer == 0;
  return function == Function::bitwise_or && format == Format::bool8 && x.integer == 1;
}

void ExactDomain::apply(Function function, DType result, DType operand, Value* dst, const Value* a, const Value* b,
                        const Value* c, int n) {
  const bool real = is_float(operand);
  static const Value nothing{};
  const bool unary = b == nullptr;
  const auto second = [&](int k) -> const Value& { return unary ? nothing : b[k]; };
  switch (row(function).kind) {
    case FunctionKind::move:
      if (function == Function::refresh) {
        std::copy_n(a, n, dst);
      } else if (function == Function::cast) {
        for (int k = 0; k < n; ++k) dst[k] = cast(result, operand, a[k]);
      } else {
        for (int k = 0; k < n; ++k) dst[k] = select(real, a[k], b[k], c[k]);
      }
      return;
    case FunctionKind::compare:
      for (int k = 0; k < n; ++k)
        if (real || !same_for_all(function, a[k], second(k), dst[k])) dst[k] = compare(function, real, a[k], second(k));
      return;
    default: break;
  }
  if (real) return apply_floats(function, result, dst, a, b, n);
  const Format format = formats_.at(result).compute;
  const Format own = host_format(result);
  for (int k = 0; k < n; ++k) {
    const Value &x = a[k], &y = second(k);
    if (poisoned(x) || poisoned(y)) {
      dst[k] = poisoned(x) ? x : y;
      continue;
    }
    const bool decided = decides(function, format, x) || decides(function, format, y);
    const uint32_t reasons = decided ? 0 : x.reasons | y.reasons;
    const int64_t kept = integer_function(function, format, x.integer, y.integer);
    const bool same = own == format || kept == integer_function(function, own, x.integer, y.integer);
    Value out = concrete(kept, same ? reasons : reasons | Bounded::overflow);
    if (out.reasons == Bounded::branch && own == format) map_choice(function, format, x, y, out);
    dst[k] = out;
  }
}

Value ExactDomain::literal(const Literal& literal) const {
  if (!is_float(literal.dtype))
    return literal.neutral ? concrete(formats_.arithmetic().integer_literal(literal))
                           : kept_integer(literal.dtype, literal.integer);
  Value out;
  out.value = literal.real;
  if (!literal.neutral) note_special(literal.dtype, out);
  if (literal.neutral || !std::isfinite(literal.real)) return out;
  const FormatTable::Row& formats = formats_.at(literal.dtype);
  const double kept = formats_.arithmetic().literal(literal), stored = round_to(formats.storage, kept);
  if (!std::isfinite(kept))
    out.value = kept;  // the constant itself overflows
  else
    out.bound =
        std::max({out.bound, std::fabs(kept - out.value), std::isfinite(stored) ? std::fabs(stored - out.value) : 0});
  return out;
}

Value ExactDomain::integer(int64_t number, DType dtype) const {
  if (!is_float(dtype)) return kept_integer(dtype, number);
  return cast(dtype, DType::i64, concrete(number));
}

bool ExactDomain::replaces(Reduction reduction, DType dtype, const Value& current, const Value& candidate) {
  const bool most = reduction == Reduction::argmax;
  if (!is_float(dtype)) return most ? candidate.integer > current.integer : candidate.integer < current.integer;
  if (std::isnan(current.value)) return false;
  if (std::isnan(candidate.value)) return true;
  const double margin = current.bound + candidate.bound;
  if (margin > 0 && std::fabs(current.value - candidate.value) <= margin) ++unstable_choices_;
  return most ? candidate.value > current.value : candidate.value < current.value;
}

void ExactDomain::store(Cell* cells, DType dtype, const Value& value) {
  table_.store(cells, formats_.at(dtype).storage, is_float(dtype), value);
}

Value ExactDomain::load(const Cell* cells, DType dtype) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  const bool real = is_float(dtype);
  if (const auto* element = table_.whole(cells, formats.storage); element && element->real == real)
    return element->value;
  if (const Cell* poison = table_.poison(cells, formats.storage)) return poison_value(poison->element());
  uint64_t bits = 0;
  const auto bits_of = [](const auto& piece) { return encode_integer(piece.format, piece.value.integer); };
  if (!real && table_.assemble(cells, formats.storage, bits, bits_of))
    return concrete(wrap_integer(formats.compute, decode_integer(formats.storage, bits)));
  Value out;
  out.reasons = Bounded::torn;
  if (real) {
    out.value = std::numeric_limits<double>::quiet_NaN();
    out.bound = kInfinity;
  }
  return out;
}

Value ExactDomain::from_host(DType dtype, uint64_t host_bits) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  if (!is_float(dtype)) return kept_integer(dtype, decode_integer(host_format(dtype), host_bits));
  return held(dtype, decode_quick(formats.storage, formats_.arithmetic().host_to_device(dtype, host_bits)));
}

Value ExactDomain::held(DType dtype, double number) const {
  Value value;
  value.value = number;
  note_special(dtype, value);
  return value;
}

}  // namespace faultline
