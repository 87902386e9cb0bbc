// FingerprintDomain's reductions and contractions.
#include <string>

#include "runtime/base/error.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

using Value = FingerprintDomain::Value;
using Accumulator = FingerprintDomain::Accumulator;

// Adds a term to a sum: flags gather, so that finish() sees every tag that came by; the first poison keeps its name.
static void gather(Accumulator& accumulator, const Value& term) {
  Value& state = accumulator.value;
  if ((term.flags & ~state.flags & Fingerprint::poison) != 0) state.allocation = term.allocation;
  state.flags |= term.flags;
  accumulator.a += term.a;
  accumulator.b += term.b;
  if (state.is_constant()) state.constant += term.constant;
}

static Value poison_or(const Value& x, const Value& y, const Value& otherwise) {
  if ((x.flags & Fingerprint::poison) != 0) return x;
  return (y.flags & Fingerprint::poison) != 0 ? y : otherwise;
}

static Value whole(int64_t number) {
  Value value;
  value.integer = number;
  return value;
}

Accumulator FingerprintDomain::accumulator(Reduction reduction, DType dtype) const {
  FAULTLINE_CHECK(reduction != Reduction::argmax && reduction != Reduction::argmin, std::string(name(reduction)));
  const Literal start = neutral_literal(reduction, dtype);
  Accumulator accumulator;
  accumulator.value = is_float(dtype) ? fingerprint_literal(start.real) : whole(start.integer);
  return accumulator;
}

static bool holds(const Value& value, bool real) {
  return real ? value.a != 0 || (value.flags & Fingerprint::special) != 0 : value.integer != 0;
}

static Value truth(bool real, bool value) { return real ? fingerprint_integer(value) : whole(value); }

// All but sums and extremes of floats.
static Value reduce(Reduction reduction, bool real, const Value& x, const Value& y) {
  switch (reduction) {
    case Reduction::prod:
      return real ? multiply(x, y) : whole(integer_function(Function::mul, Format::i64, x.integer, y.integer));
    case Reduction::any: return truth(real, holds(x, real) || holds(y, real));
    case Reduction::all: return truth(real, holds(x, real) && holds(y, real));
    case Reduction::max:
    case Reduction::min: {
      const Function function = reduction == Reduction::max ? Function::maximum : Function::minimum;
      return whole(integer_function(function, Format::i64, x.integer, y.integer));
    }
    default: return whole(integer_function(Function::add, Format::i64, x.integer, y.integer));
  }
}

// The order key of a varying extreme is kept in `a`, and b says that it is.
static void keep_extreme(bool greatest, Accumulator& accumulator, const Value& x) {
  constexpr uint32_t known = Fingerprint::varies | Fingerprint::special;
  Value& best = accumulator.value;
  const bool plain = (x.flags & known) == Fingerprint::varies && (best.flags & known) == Fingerprint::varies;
  if (!plain || x.a == best.a) {
    accumulator.b = 0;
    best = poison_or(best, x, apply_law(greatest ? Function::maximum : Function::minimum, best, x));
    return;
  }
  const uint64_t mine = accumulator.b != 0 ? static_cast<uint64_t>(accumulator.a) : order_key(best.a);
  const uint64_t key = order_key(x.a);
  const bool replaces = key != mine && (key > mine) == greatest;
  if (replaces) best = x;
  accumulator.a = replaces ? key : mine;
  accumulator.b = 1;
}

void FingerprintDomain::accumulate(Reduction reduction, DType dtype, Accumulator* accumulators, const Value* src,
                                   int n) {
  const bool real = is_float(dtype);
  const bool extreme = reduction == Reduction::max || reduction == Reduction::min;
  if (real && extreme) {
    for (int k = 0; k < n; ++k) keep_extreme(reduction == Reduction::max, accumulators[k], src[k]);
    return;
  }
  if (reduction == Reduction::sum && real) {
    for (int k = 0; k < n; ++k) gather(accumulators[k], src[k]);
    return;
  }
  for (int k = 0; k < n; ++k) {
    Value& value = accumulators[k].value;
    value = poison_or(value, src[k], reduce(reduction, real, value, src[k]));
  }
}

void FingerprintDomain::multiply_accumulate(DType dtype, Accumulator* accumulators, const Value* a, int a_step,
                                            const Value* b, int b_step, int n) {
  for (int k = 0; k < n; ++k) {
    const Value &x = a[k * a_step], &y = b[k * b_step];
    Accumulator& accumulator = accumulators[k];
    const uint32_t flags = x.flags | y.flags;
    if (!is_float(dtype)) {
      const Value product = poison_or(x, y, whole(integer_function(Function::mul, Format::i64, x.integer, y.integer)));
      accumulate(Reduction::sum, dtype, &accumulator, &product, 1);
    } else if ((flags & Fingerprint::special) != 0) {
      gather(accumulator, multiply(x, y));
    } else {
      accumulator.a += FirstField::fold(static_cast<Wide>(x.a) * y.a);
      accumulator.b += SecondField::fold(static_cast<Wide>(x.b) * y.b);
      accumulator.value.flags |= flags;
      if (accumulator.value.is_constant()) accumulator.value.constant += x.constant * y.constant;
    }
  }
}

void FingerprintDomain::combine(Reduction reduction, DType dtype, Accumulator* accumulator, const Accumulator& other) {
  if (reduction != Reduction::sum || !is_float(dtype))
    return accumulate(reduction, dtype, accumulator, &other.value, 1);
  gather(*accumulator, other.value);  // its a and b are 0: the totals stand apart
  accumulator->a += other.a;
  accumulator->b += other.b;
}

Value FingerprintDomain::finish(Reduction reduction, DType dtype, const Accumulator& accumulator) const {
  const Value& state = accumulator.value;
  if ((state.flags & Fingerprint::poison) != 0) return fingerprint_poison(state.allocation);
  if (!is_float(dtype)) return whole(wrap_integer(formats_.at(dtype).compute, state.integer));
  if (reduction != Reduction::sum) return state;
  const uint32_t infinite = state.flags & Fingerprint::infinite;
  if ((state.flags & Fingerprint::nan) != 0 || infinite == Fingerprint::infinite) return fingerprint_nan();
  if (infinite != 0) return fingerprint_infinity(infinite == Fingerprint::minus_infinity);
  Value value;
  value.a = FirstField::reduce(accumulator.a);
  value.b = SecondField::reduce(accumulator.b);
  value.flags = state.flags;
  value.constant = state.is_constant() ? state.constant : 0;
  return value;
}

}  // namespace faultline
