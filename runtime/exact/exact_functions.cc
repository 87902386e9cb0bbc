// Functions of floats on lanes, and what rounding their results costs. The functions that programs are full of have a
// loop of their own, into which their value and their error are compiled.
#include <cmath>
#include <limits>

#include "runtime/exact/error_propagation.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/late_flush.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

using Value = ExactDomain::Value;

double ExactDomain::rounding_ulps(Format format) const {
  return formats_.arithmetic().rounding(format) == Rounding::toward_zero ? 1 : 0.5;
}

// A machine's own rounding to a format, which may flush what is small.
void ExactDomain::add_rounding(Format format, RoundingCost& cost) const {
  const FormatLimits& limit = limits(format);
  const bool flushed = limit.smallest_subnormal == limit.smallest_normal;
  cost.add(format, rounding_ulps(format), flushed ? limit.smallest_normal : limit.smallest_subnormal / 2);
}

void ExactDomain::add_narrowing(DType dtype, Format from, RoundingCost& cost) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  if (!holds(formats.compute, from)) add_rounding(formats.compute, cost);
  if (!holds(formats.storage, formats.compute)) add_rounding(formats.storage, cost);
  if (formats_.arithmetic().flushes_subnormals(dtype))
    cost.add(formats.compute, 0, limits(formats.compute).smallest_normal);
}

double ExactDomain::narrowing(DType dtype, Format from, double magnitude) const {
  RoundingCost cost;
  add_narrowing(dtype, from, cost);
  return cost.of(magnitude);
}

bool ExactDomain::representable(DType dtype, double y) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  if (formats_.arithmetic().flushes_subnormals(dtype) && std::fabs(y) < limits(formats.compute).smallest_normal)
    return y == 0;
  return round_to(formats.compute, y) == y && round_to(formats.storage, y) == y;
}

// The result depends on the sign of an operand that is zero.
static bool asks_zero_sign(Function function, double a, double b) {
  switch (function) {
    case Function::reciprocal:
    case Function::rsqrt: return a == 0;
    case Function::div: return b == 0 && a != 0;
    case Function::pow: return a == 0 && b < 0;
    case Function::atan2: return a == 0 && b <= 0;
    default: return false;
  }
}

ExactDomain::FunctionRule ExactDomain::rule_of(Function function, DType dtype) const {
  const FormatTable::Row& formats = formats_.at(dtype);
  const Format evaluated = function_format_[static_cast<int>(dtype)];
  FunctionRule rule;
  rule.dtype = dtype;
  rule.ulps = profile_.ulps_of(function);
  rule.merged = formats.compute == Format::dl16 || formats.storage == Format::dl16 || formats.storage == Format::f8e4m3;
  rule.largest = std::min(limits(formats.compute).largest, limits(formats.storage).largest);
  rule.relative = formats_.arithmetic().inner_error(function, dtype);
  const bool rounded = rule.ulps <= 0.5;
  const FormatLimits& limit = limits(evaluated);
  rule.cost.add(evaluated, rounded ? rounding_ulps(evaluated) : rule.ulps,
                profile_.subnormals_lost && (!rounded || dtype == DType::bf16) ? limit.smallest_normal
                                                                               : limit.smallest_subnormal / 2);
  add_narrowing(dtype, evaluated, rule.cost);
  rule.cost.add(Format::f64, 2, 0);  // the reference's own
  const auto absolute = profile_.absolute_error.find(function);
  if (absolute != profile_.absolute_error.end()) rule.absolute = absolute->second;
  const auto share = profile_.overflow_from.find(function);
  if (share != profile_.overflow_from.end()) rule.overflow_from = share->second * limit.largest;
  rule.loses_values = share != profile_.overflow_from.end() || (function == Function::erf && !profile_.erf_of_infinity);
  return rule;
}

// What the profile says of functions that lose a value which their result's format could hold.
bool ExactDomain::overflows_early(Function function, const FunctionRule& rule, double y, double a, double b) {
  if (function == Function::erf) return std::isinf(a);
  const bool remainder = function == Function::fmod || function == Function::remainder;
  return std::fabs(remainder ? a / b : y) > rule.overflow_from;
}

static bool poisoned(const Value& value) { return (value.reasons & Bounded::poison) != 0; }

// Compiled into each loop with its function.
[[gnu::always_inline]] inline Value ExactDomain::apply_float(Function function, const FunctionRule& rule,
                                                             const Value& a, const Value& b) const {
  if (poisoned(a)) return a;
  if (poisoned(b)) return b;
  Value out;
  out.reasons = a.reasons | b.reasons;
  out.value = scalar_function(function, a.value, b.value);
  out.bound = propagated_error(function, out.value, a, b, out.reasons);
  if (!std::isfinite(out.bound) && out.reasons == 0) out.reasons = Bounded::overflow;  // an end of the box overflows
  if (!signed_zeros_ && asks_zero_sign(function, a.value, b.value)) out.reasons |= Bounded::branch;
  if (rule.loses_values && overflows_early(function, rule, out.value, a.value, b.value))
    out.reasons |= Bounded::overflow;
  // An infinity that came in is a neutral element, which the machine realises as a number, or was noted before.
  if (rule.merged && !std::isfinite(out.value) && std::isfinite(a.value) && std::isfinite(b.value))
    out.reasons |= Bounded::special;
  // 0 as a limit at infinity, of exp and of quotients, is reached.
  if (out.value == 0 && out.bound == 0 && (std::isinf(a.value) || std::isinf(b.value))) return out;
  if (rule.ulps == 0 || !std::isfinite(out.value) || !std::isfinite(out.bound)) return out;
  if (out.bound == 0 && rule.ulps <= 0.5 && exact_in_double(function, out.value, a.value, b.value) &&
      representable(rule.dtype, out.value))
    return out;
  const double magnitude = std::fabs(out.value) + out.bound;
  out.bound += rule.relative * magnitude + rule.cost.of(magnitude) + rule.absolute;
  const double reach = std::fabs(out.value) + out.bound;
  if (std::isfinite(reach) && reach > rule.largest) out.reasons |= Bounded::overflow;
  return out;
}

static void add_late_flush(const Arithmetic& arithmetic, Function function, DType dtype, const Value& a, const Value& b,
                           Value& out) {
  if (poisoned(out) || !std::isfinite(out.value) || !std::isfinite(out.bound)) return;
  uint32_t reasons = 0;
  out.bound += late_flush(arithmetic, dtype, out.value, propagated_error(function, out.value, a, b, reasons));
}

void ExactDomain::apply_floats(Function function, DType dtype, Value* dst, const Value* a, const Value* b,
                               int n) const {
  const FunctionRule rule = rule_of(function, dtype);
  const Arithmetic& arithmetic = formats_.arithmetic();
  const bool flushes = rule.ulps > 0 && arithmetic.flushes_subnormals(dtype);
  const auto map = [&](auto known) {
    static const Value nothing{};
    for (int k = 0; k < n; ++k) {
      const Value x = a[k], y = b == nullptr ? nothing : b[k];
      dst[k] = apply_float(known(), rule, x, y);
      if (flushes) [[unlikely]]
        add_late_flush(arithmetic, function, dtype, x, y, dst[k]);
    }
  };
  switch (function) {
    case Function::neg: return map([] { return Function::neg; });
    case Function::abs: return map([] { return Function::abs; });
    case Function::add: return map([] { return Function::add; });
    case Function::sub: return map([] { return Function::sub; });
    case Function::mul: return map([] { return Function::mul; });
    case Function::div: return map([] { return Function::div; });
    case Function::reciprocal: return map([] { return Function::reciprocal; });
    case Function::maximum: return map([] { return Function::maximum; });
    case Function::minimum: return map([] { return Function::minimum; });
    case Function::exp: return map([] { return Function::exp; });
    default: return map([=] { return function; });
  }
}

}  // namespace faultline
