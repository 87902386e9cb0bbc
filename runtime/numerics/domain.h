// The three element domains. Every executor is a template over one of them and is instantiated for all three:
//
//   NativeDomain       bits of the type, an Arithmetic's rounding             (runtime/numerics/native_domain.h)
//   ExactDomain        fp64 with a running bound on |conforming result - y|   (runtime/exact/exact_domain.h)
//   FingerprintDomain  pairs of a finite field                                (runtime/exact/fingerprint_domain.h)
//
// Work is done on vectors of `Value` (lanes), so that the choice of function is paid once a vector. Values of integer
// and bool dtypes are concrete in every domain. A domain object may keep a side table and is not thread-safe.
#pragma once

#include <concepts>
#include <cstdint>

#include "runtime/ir/function.h"
#include "runtime/ir/literal.h"

namespace faultline {

// A cell is one byte of simulated memory. NativeDomain: the byte and nothing else. The others: (id of a value in a side
// table, which byte of the element this is), so that torn, swapped and misplaced bytes show.
//
// Poison: memory that nobody wrote. Native memory holds a pattern chosen by the caller; in the other domains a poison
// cell names its allocation, decodes to a value that absorbs in every operation, and `is_poison` tells it.
template <class D>
concept ElementDomain =
    requires(D d, const D& c, typename D::Value v, typename D::Value* dst, const typename D::Value* src,
             typename D::Accumulator* acc, typename D::Cell* cells, const typename D::Cell* const_cells, Function f,
             Reduction r, DType t, Literal literal, int64_t i, int n, uint64_t bits) {
      requires std::copyable<typename D::Value>;
      requires std::copyable<typename D::Accumulator>;
      requires std::copyable<typename D::Cell>;

      // dst[k] = f(a[k], b[k], c[k]) for n lanes; the result has dtype t (first), operands have dtype t (second). For
      // `select` a is bool and b, c have the second dtype; for cast the two dtypes differ. dst may equal a source.
      // Unused sources are null.
      d.apply(f, t, t, dst, src, src, src, n);

      { d.literal(literal) } -> std::same_as<typename D::Value>;
      // The number i as a value of dtype t (iota, indices, counts).
      { d.integer(i, t) } -> std::same_as<typename D::Value>;
      // For integer and bool dtypes: the concrete number.
      { c.to_integer(v) } -> std::same_as<int64_t>;

      // Reductions other than argmax and argmin. acc[k] op= src[k] for n lanes, in call order. `finish` rounds to the
      // dtype.
      { d.accumulator(r, t) } -> std::same_as<typename D::Accumulator>;
      d.accumulate(r, t, acc, src, n);
      // acc[k] += a[k*a_step] * b[k*b_step]; steps are 0 or 1.
      d.multiply_accumulate(t, acc, src, n, src, n, n);
      // acc += other: partial results of two cores or tiles.
      d.combine(r, t, acc, *acc);
      { d.finish(r, t, *acc) } -> std::same_as<typename D::Value>;
      // For argmax and argmin: whether a later candidate `src[0]` replaces the current `src[0]` (first wins on ties;
      // NaN extreme).
      { d.replaces(r, t, v, v) } -> std::same_as<bool>;

      // Memory. `bytes` per element as the domain's target stores dtype t. Throws Rejected for a type the target lacks.
      { c.element_bytes(t) } -> std::same_as<int>;
      d.store(cells, t, v);
      { d.load(const_cells, t) } -> std::same_as<typename D::Value>;
      // The same for n elements that lie one behind the other.
      d.store_lanes(cells, t, src, n);
      c.load_lanes(const_cells, t, dst, n);
      { d.poison_cell(n, n) } -> std::same_as<typename D::Cell>;  // (allocation or pattern number, byte number)
      { c.is_poison(v) } -> std::same_as<bool>;
      // The byte with the bits of `mask` (1..255) flipped.
      { d.flip_cell(*const_cells, n) } -> std::same_as<typename D::Cell>;
    };

}  // namespace faultline
