// NativeDomain's reductions and contractions. Sums go through the arithmetic's accumulator format one term at a time;
// machines that sum in blocks get their products in blocks of the declared length.
#include <cmath>
#include <limits>

#include "runtime/base/error.h"
#include "runtime/numerics/native_domain.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

NativeDomain::Accumulator NativeDomain::accumulator(Reduction reduction, DType dtype) const {
  FAULTLINE_CHECK(reduction != Reduction::argmax && reduction != Reduction::argmin, std::string(name(reduction)));
  Accumulator accumulator;
  const Literal start = neutral_literal(reduction, dtype);
  // The true neutral element, not the target's number for it: machines start from the first term.
  if (is_float(dtype))
    accumulator.total.real = start.real;
  else
    accumulator.total.integer = start.integer;
  return accumulator;
}

static double extreme(Reduction reduction, double current, double candidate) {
  if (std::isnan(current) || std::isnan(candidate)) return std::numeric_limits<double>::quiet_NaN();
  return (reduction == Reduction::max ? candidate > current : candidate < current) ? candidate : current;
}

void NativeDomain::accumulate_float(Reduction reduction, DType dtype, Accumulator* accumulators, const Value* src,
                                    int n) const {
  const Format format =
      reduction == Reduction::prod ? arithmetic_->partial_product_format(dtype) : formats_.at(dtype).accumulator;
  switch (reduction) {
    case Reduction::sum:
    case Reduction::prod:
      if (!traits(dtype).plain_sum) break;
      return with_rounding(format, arithmetic_->rounding(format), [&]<Format F, Rounding R>() {
        for (int k = 0; k < n; ++k) {
          double& total = accumulators[k].total.real;
          total = round_fixed<F, R>(reduction == Reduction::sum ? total + src[k].real : total * src[k].real);
        }
      });
    case Reduction::any:
      for (int k = 0; k < n; ++k) accumulators[k].total.real = accumulators[k].total.real != 0 || src[k].real != 0;
      return;
    case Reduction::all:
      for (int k = 0; k < n; ++k) accumulators[k].total.real = accumulators[k].total.real != 0 && src[k].real != 0;
      return;
    default:
      for (int k = 0; k < n; ++k)
        accumulators[k].total.real = extreme(reduction, accumulators[k].total.real, src[k].real);
      return;
  }
  for (int k = 0; k < n; ++k) {
    double& total = accumulators[k].total.real;
    total = reduction == Reduction::sum ? arithmetic_->add_partial(dtype, total, src[k].real)
                                        : arithmetic_->multiply_partial(dtype, total, src[k].real);
  }
}

static int64_t reduce_integers(Reduction reduction, int64_t a, int64_t b) {
  switch (reduction) {
    case Reduction::sum: return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    case Reduction::prod: return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Reduction::any: return a != 0 || b != 0;
    case Reduction::all: return a != 0 && b != 0;
    case Reduction::max: return a > b ? a : b;
    default: return a < b ? a : b;
  }
}

void NativeDomain::accumulate(Reduction reduction, DType dtype, Accumulator* accumulators, const Value* src, int n) {
  if (is_float(dtype)) return accumulate_float(reduction, dtype, accumulators, src, n);
  for (int k = 0; k < n; ++k)
    accumulators[k].total.integer = reduce_integers(reduction, accumulators[k].total.integer, src[k].integer);
}

void NativeDomain::flush(DType dtype, Accumulator& accumulator) const {
  if (!accumulator.pending || accumulator.pending->a.empty()) return;
  Pending& pending = *accumulator.pending;
  accumulator.total.real = arithmetic_->add_products(dtype, accumulator.total.real, pending.a.data(), pending.b.data(),
                                                     static_cast<int>(pending.a.size()));
  pending.a.clear();
  pending.b.clear();
}

void NativeDomain::add_block_products(DType dtype, Accumulator* accumulators, const Value* a, int a_step,
                                      const Value* b, int b_step, int n) const {
  const size_t block = static_cast<size_t>(traits(dtype).block);
  for (int k = 0; k < n; ++k) {
    Accumulator& accumulator = accumulators[k];
    if (!accumulator.pending) accumulator.pending = std::make_unique<Pending>();
    accumulator.pending->a.push_back(a[k * a_step].real);
    accumulator.pending->b.push_back(b[k * b_step].real);
    if (accumulator.pending->a.size() == block) flush(dtype, accumulator);
  }
}

void NativeDomain::multiply_accumulate(DType dtype, Accumulator* accumulators, const Value* a, int a_step,
                                       const Value* b, int b_step, int n) {
  if (!is_float(dtype)) {
    for (int k = 0; k < n; ++k) {
      const auto product = static_cast<uint64_t>(a[k * a_step].integer) * static_cast<uint64_t>(b[k * b_step].integer);
      int64_t& total = accumulators[k].total.integer;
      total = static_cast<int64_t>(static_cast<uint64_t>(total) + product);
    }
    return;
  }
  const Traits& type = traits(dtype);
  const Format format = formats_.at(dtype).accumulator;
  if (type.block > 1) return add_block_products(dtype, accumulators, a, a_step, b, b_step, n);
  if (type.plain_sum)
    return with_rounding(format, arithmetic_->rounding(format), [&]<Format F, Rounding R>() {
      for (int k = 0; k < n; ++k) {
        double& total = accumulators[k].total.real;
        total = round_fixed<F, R>(total + a[k * a_step].real * b[k * b_step].real);
      }
    });
  for (int k = 0; k < n; ++k) {
    double& total = accumulators[k].total.real;
    total = arithmetic_->add_partial(dtype, total, arithmetic_->product(dtype, a[k * a_step].real, b[k * b_step].real));
  }
}

void NativeDomain::combine(Reduction reduction, DType dtype, Accumulator* accumulator, const Accumulator& other) {
  Accumulator rest = other;
  flush(dtype, *accumulator);
  flush(dtype, rest);
  accumulate(reduction, dtype, accumulator, &rest.total, 1);
}

NativeDomain::Value NativeDomain::finish(Reduction reduction, DType dtype, const Accumulator& accumulator) {
  Value value = accumulator.total;
  if (!is_float(dtype)) {
    value.integer = wrap_integer(formats_.at(dtype).compute, value.integer);
    return value;
  }
  if (accumulator.pending && !accumulator.pending->a.empty()) {
    Accumulator whole = accumulator;
    flush(dtype, whole);
    value = whole.total;
  }
  if (reduction == Reduction::sum || reduction == Reduction::prod) value.real = arithmetic_->round(dtype, value.real);
  return value;
}

bool NativeDomain::replaces(Reduction reduction, DType dtype, const Value& current, const Value& candidate) const {
  const bool most = reduction == Reduction::argmax;
  if (!is_float(dtype)) return most ? candidate.integer > current.integer : candidate.integer < current.integer;
  if (std::isnan(current.real)) return false;
  return std::isnan(candidate.real) || (most ? candidate.real > current.real : candidate.real < current.real);
}

}  // namespace faultline
