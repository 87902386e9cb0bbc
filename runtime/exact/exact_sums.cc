// ExactDomain's reductions and contractions (docs/sources.md, Oracle: element bounds, exact integers).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "runtime/base/error.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/late_flush.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

using Value = ExactDomain::Value;
using Accumulator = ExactDomain::Accumulator;

static constexpr int kNoQuantum = -4096;

Accumulator ExactDomain::accumulator(Reduction reduction, DType dtype) const {
  FAULTLINE_CHECK(reduction != Reduction::argmax && reduction != Reduction::argmin, std::string(name(reduction)));
  const Literal start = neutral_literal(reduction, dtype);
  Accumulator accumulator;
  accumulator.high = start.real;
  accumulator.integer = start.integer;
  accumulator.magnitude = accumulator.growth = accumulator.decline = reduction == Reduction::prod ? 1 : 0;
  return accumulator;
}

// Error-free addition into a double-double whose low part gathers the rests.
static void add_to(Accumulator& sum, double x) {
  const double total = sum.high + x;
  if (!std::isfinite(total)) {  // infinities and NaN have no rest
    if (std::isfinite(sum.high) && std::isfinite(x)) sum.reasons |= Bounded::overflow;
    sum.high = total;
    return;
  }
  const double shown = total - sum.high;
  sum.low += (sum.high - (total - shown)) + (x - shown);
  sum.high = total;
}

// The exponent of the last bit set.
static int last_bit(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const int field = static_cast<int>(bits >> 52 & 0x7FF);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (field == 0 || field == 0x7FF) return field == 0 && fraction == 0 ? 2048 : kNoQuantum;
  return field - 1075 + std::countr_zero(fraction | uint64_t{1} << 52);
}

// The error of a result under the smallest normal, beyond the relative one.
static double underflow(Format format) {
  const FormatLimits& limit = limits(format);
  return limit.smallest_subnormal == limit.smallest_normal ? limit.smallest_normal : limit.smallest_subnormal;
}

// Of bf16 and f32 alike.
static bool loses_subnormals(double x, double y, double product) {
  constexpr double edge = 0x1p-126;
  return std::min({std::fabs(x), std::fabs(y), std::fabs(product)}) < edge;
}

// A product with an exact zero is an exact zero, whatever the other factor, as long as that is a number.
static bool is_nothing(const Value& x, const Value& y) {
  const bool left = x.value == 0 && x.bound == 0, right = y.value == 0 && y.bound == 0;
  return (left && std::isfinite(y.bound)) || (right && std::isfinite(x.bound));
}

static void note(Accumulator& accumulator, const Value& x) {
  if ((x.reasons & ~accumulator.reasons & Bounded::poison) != 0) accumulator.allocation = x.allocation;
  accumulator.reasons |= x.reasons;
}

static void add_term(Accumulator& sum, const Value& x) {
  add_to(sum, x.value);
  if (std::isfinite(x.value)) sum.magnitude += std::fabs(x.value);
  sum.operand_error += x.bound;
  sum.quantum = std::min(sum.quantum, x.bound == 0 ? last_bit(x.value) : kNoQuantum);
  ++sum.terms;
  sum.roundings += static_cast<int64_t>((x.value != 0) | (x.bound != 0));  // 0 added to anything is exact
}

static void add_float(Reduction reduction, Accumulator& accumulator, const Value& x) {
  note(accumulator, x);
  double& high = accumulator.high;
  switch (reduction) {
    case Reduction::sum: return add_term(accumulator, x);
    case Reduction::prod:
      high *= x.value;
      accumulator.magnitude *= std::fabs(x.value) + x.bound;
      if (std::isfinite(x.value)) {
        accumulator.growth *= std::max(1.0, std::fabs(x.value) + x.bound);
        if (x.value != 0) accumulator.decline *= std::min(1.0, std::max(std::fabs(x.value) - x.bound, 0.0));
      }
      ++accumulator.terms;
      accumulator.roundings += static_cast<int64_t>((x.value != 1) | (x.bound != 0));
      return;
    case Reduction::max:
    case Reduction::min:
      high = scalar_function(reduction == Reduction::max ? Function::maximum : Function::minimum, high, x.value);
      accumulator.operand_error = std::max(accumulator.operand_error, x.bound);
      return;
    default: break;
  }
  if (x.bound > 0 && std::fabs(x.value) <= x.bound) accumulator.reasons |= Bounded::branch;
  high = reduction == Reduction::any ? high != 0 || x.value != 0 : high != 0 && x.value != 0;
}

static void add_integer(Reduction reduction, Accumulator& accumulator, const Value& x) {
  int64_t& total = accumulator.integer;
  // A sure true decides `any`, a sure false `all`, whatever the unsure ones are.
  const bool decides = reduction == Reduction::any ? x.integer != 0 : x.integer == 0;
  if (reduction == Reduction::any || reduction == Reduction::all) {
    const int64_t decided = reduction == Reduction::any;
    const bool was_decided = accumulator.terms > 0;  // `terms` counts the sure deciders
    if (was_decided) {
      note(accumulator, Value{.integer = 0, .reasons = x.reasons & Bounded::poison, .allocation = x.allocation});
    } else if (decides && x.reasons == 0) {
      accumulator.reasons &= Bounded::poison;
      accumulator.terms = 1;
    } else {
      note(accumulator, x);
    }
    if (decides) total = decided;
    return;
  }
  note(accumulator, x);
  const Function function = reduction == Reduction::sum    ? Function::add
                            : reduction == Reduction::prod ? Function::mul
                            : reduction == Reduction::max  ? Function::maximum
                                                           : Function::minimum;
  total = integer_function(function, Format::i64, total, x.integer);
}

void ExactDomain::accumulate(Reduction reduction, DType dtype, Accumulator* accumulators, const Value* src, int n) {
  if (is_float(dtype))
    for (int k = 0; k < n; ++k) add_float(reduction, accumulators[k], src[k]);
  else
    for (int k = 0; k < n; ++k) add_integer(reduction, accumulators[k], src[k]);
}

void ExactDomain::multiply_accumulate(DType dtype, Accumulator* accumulators, const Value* a, int a_step,
                                      const Value* b, int b_step, int n) {
  const bool real = is_float(dtype), wide = dtype == DType::f64;
  const Format cut = real ? formats_.arithmetic().multiplicand_format(dtype) : Format::i64;
  const bool is_cut = real && multiplicand_roundoff_[static_cast<int>(dtype)] > 0;
  for (int k = 0; k < n; ++k) {
    const Value &x = a[k * a_step], &y = b[k * b_step];
    Accumulator& sum = accumulators[k];
    note(sum, x);
    note(sum, y);
    if (!real) {
      const int64_t product = integer_function(Function::mul, Format::i64, x.integer, y.integer);
      sum.integer = integer_function(Function::add, Format::i64, sum.integer, product);
      continue;
    }
    const double product = x.value * y.value;
    if (product == 0 && is_nothing(x, y)) {
      ++sum.terms;
      sum.contraction = true;
      continue;
    }
    if (profile_.subnormals_lost && loses_subnormals(x.value, y.value, product)) {
      sum.operand_error += std::fabs(product);
      sum.quantum = kNoQuantum;
    }
    const bool finite = std::isfinite(x.value) && std::isfinite(y.value);
    if (finite && std::isinf(product)) sum.reasons |= Bounded::overflow;
    if (profile_.zero_products_skipped && std::isnan(product) && (x.value == 0 || y.value == 0))
      sum.reasons |= Bounded::undefined;
    add_to(sum, product);
    if (finite) sum.magnitude += std::fabs(product);
    sum.contraction = true;
    ++sum.terms;
    ++sum.roundings;
    if (x.bound != 0 || y.bound != 0) {
      sum.operand_error += std::fabs(x.value) * y.bound + std::fabs(y.value) * x.bound + x.bound * y.bound;
      sum.quantum = kNoQuantum;
      continue;
    }
    bool exact = true;
    if (wide && std::isfinite(product)) {
      const double rest = std::fma(x.value, y.value, -product);
      sum.low += rest;
      exact = rest == 0;
    }
    if (is_cut) exact = exact && round_to(cut, x.value) == x.value && round_to(cut, y.value) == y.value;
    sum.quantum = std::min(sum.quantum, exact ? last_bit(product) : kNoQuantum);
  }
}

void ExactDomain::combine(Reduction reduction, DType dtype, Accumulator* accumulator, const Accumulator& other) {
  Value part;
  part.reasons = other.reasons;
  part.allocation = other.allocation;
  if (!is_float(dtype)) {
    part.integer = other.integer;
    return accumulate(reduction, dtype, accumulator, &part, 1);
  }
  note(*accumulator, part);
  if (reduction == Reduction::sum) {
    add_to(*accumulator, other.high);
    accumulator->low += other.low;
    accumulator->magnitude += other.magnitude;
    accumulator->operand_error += other.operand_error;
    accumulator->terms += other.terms;
    accumulator->roundings += other.roundings;
    accumulator->quantum = std::min(accumulator->quantum, other.quantum);
    accumulator->contraction |= other.contraction;
    return;
  }
  if (reduction == Reduction::prod) {
    accumulator->high *= other.high;
    accumulator->magnitude *= other.magnitude;
    accumulator->growth *= other.growth;
    accumulator->decline *= other.decline;
    accumulator->terms += other.terms;
    accumulator->roundings += other.roundings;
    return;
  }
  part.value = other.high;
  part.bound = reduction == Reduction::max || reduction == Reduction::min ? other.operand_error : 0;
  add_float(reduction, *accumulator, part);
}

Value ExactDomain::finish_sum(DType dtype, const Accumulator& accumulator) const {
  const Arithmetic& arithmetic = formats_.arithmetic();
  Value out;
  out.reasons = accumulator.reasons;
  out.value = accumulator.high + accumulator.low;
  const bool own = sums_in_own_type_;
  const Format format = own ? arithmetic.compute_format(dtype) : arithmetic.accumulator_format(dtype);
  if (!std::isfinite(out.value)) {
    // What is finite may overflow by itself, to the other infinity.
    const double finite = accumulator.magnitude + accumulator.operand_error;
    const bool sure = profile_.infinities_add_up || accumulator.contraction;
    if (std::isinf(out.value) && (!sure || finite > limits(format).largest)) out.reasons |= Bounded::overflow;
    if (accumulator.operand_error > 0 && !std::isfinite(accumulator.operand_error))
      out.bound = accumulator.operand_error;
    return out;
  }
  const double u = own ? limits(format).unit_roundoff : arithmetic.sum_unit_roundoff(dtype);
  if (accumulator.magnitude > limits(format).largest) out.reasons |= Bounded::overflow;  // of a partial sum
  const double grain = std::ldexp(1, std::max(accumulator.quantum, -1074));
  const bool all_partials_exact = profile_.exact_sums && accumulator.quantum != kNoQuantum &&
                                  accumulator.magnitude * u <= grain && grain >= limits(format).smallest_subnormal;
  if (!all_partials_exact) {
    const auto terms = static_cast<double>(accumulator.roundings);
    double factor =
        own ? gamma_factor(terms, u) : arithmetic.sum_error(dtype, accumulator.roundings, accumulator.terms);
    // A single term is what is written down, where the accumulator holds it.
    const bool held = limits(format).precision_bits >= limits(arithmetic.compute_format(dtype)).precision_bits;
    if (!accumulator.contraction && accumulator.roundings <= 1 && held) factor = 0;
    if (profile_.sharp && arithmetic.rounding(format) != Rounding::toward_zero)
      factor = std::min(factor, profile_.lambda * std::sqrt(terms) * u);
    if (!std::isfinite(factor)) {
      out.reasons |= Bounded::unbounded;
      out.bound = factor;
      return out;
    }
    const double cut = accumulator.contraction ? multiplicand_roundoff_[static_cast<int>(dtype)] : 0;
    out.bound =
        ((1 + factor) * (1 + cut) * (1 + cut) - 1) * accumulator.magnitude + (1 + factor) * accumulator.operand_error;
    // A sum of subnormals is exact, but a product may underflow; where there are none both may.
    const bool flushed = limits(format).smallest_subnormal == limits(format).smallest_normal;
    if (accumulator.contraction && profile_.subnormals_lost) out.bound += terms * limits(format).smallest_normal;
    if (accumulator.contraction || flushed) out.bound += (1 + factor) * terms * underflow(format);
    // The reference's own: double-double rests and the rounded total of magnitudes.
    out.bound += 2 * ulp(Format::f64, out.value) + out.bound * terms * 0x1p-52;
  }
  if (out.bound > 0 || !representable(dtype, out.value))
    out.bound += narrowing(dtype, format, std::fabs(out.value) + out.bound) +
                 late_flush(arithmetic, dtype, out.value, out.bound);
  settle(dtype, out);
  return out;
}

Value ExactDomain::finish(Reduction reduction, DType dtype, const Accumulator& accumulator) const {
  Value out;
  out.reasons = accumulator.reasons;
  out.allocation = accumulator.allocation;
  if (!is_float(dtype)) {
    const Value kept = kept_integer(dtype, accumulator.integer, out.reasons);
    out.integer = kept.integer;
    out.reasons = kept.reasons;
    return out;
  }
  if ((accumulator.reasons & Bounded::poison) != 0) {
    out.value = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  if (reduction == Reduction::sum) return finish_sum(dtype, accumulator);
  out.value = accumulator.high;
  if (reduction != Reduction::prod) {
    out.bound = accumulator.operand_error;
    return out;
  }
  const Arithmetic& arithmetic = formats_.arithmetic();
  if (accumulator.roundings == 0) return out;
  // A partial product may overflow or underflow before other factors bring it back, or an infinity or 0 meets it.
  const Format format = arithmetic.partial_product_format(dtype);
  const bool finite = std::isfinite(out.value);
  if (accumulator.growth > limits(format).largest && (finite || std::isinf(accumulator.growth)))
    out.reasons |= Bounded::overflow;
  if (std::isinf(out.value) && accumulator.decline < limits(format).smallest_normal) out.reasons |= Bounded::overflow;
  if (!finite) return out;
  const double factor = arithmetic.product_error(dtype, accumulator.roundings);
  if (!std::isfinite(factor)) out.reasons |= Bounded::unbounded;
  out.bound = (accumulator.magnitude - std::fabs(out.value)) + factor * accumulator.magnitude;
  out.bound += (1 + factor) * static_cast<double>(accumulator.roundings - 1) * underflow(format) * accumulator.growth;
  if (std::isfinite(out.bound)) {
    const double magnitude = std::fabs(out.value) + out.bound;
    out.bound += narrowing(dtype, arithmetic.partial_product_format(dtype), magnitude) +
                 2 * ulp(Format::f64, magnitude) + late_flush(arithmetic, dtype, out.value, out.bound);
  }
  settle(dtype, out);
  return out;
}

}  // namespace faultline
