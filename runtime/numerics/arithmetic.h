// What a machine's number hardware does, declared. A target derives from this; `ideal_arithmetic()` is the reference of the
// rungs above `numerics`: values kept in their own dtype, computed in double and rounded once.
//
// Pure and thread-safe. Values arrive and leave as doubles that are exactly representable in compute_format(dtype).
#pragma once

#include <string_view>

#include "runtime/ir/function.h"
#include "runtime/ir/literal.h"
#include "runtime/numerics/format.h"

namespace faultline {

class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  virtual std::string_view id() const = 0;
  // How an element of `dtype` lies in device memory. Throws Rejected when the machine has no such type.
  virtual Format storage_format(DType dtype) const = 0;
  // The format every operation on `dtype` rounds to, once.
  virtual Format compute_format(DType dtype) const = 0;
  // The format of partial sums (and products of floats) for `dtype`.
  virtual Format accumulator_format(DType dtype) const = 0;
  virtual Rounding rounding() const { return Rounding::nearest_even; }

  // Host element bits (host_format(dtype)) to device bits (storage_format(dtype)) and back: the storage map of transfers.
  virtual uint64_t host_to_device(DType dtype, uint64_t host_bits) const;
  virtual uint64_t device_to_host(DType dtype, uint64_t device_bits) const;

  // One scalar float function, already rounded to compute_format(dtype). The default computes in double and calls round().
  virtual double function(Function function, DType dtype, double a, double b) const;
  virtual double round(DType dtype, double exact) const;
  // acc and the result are values of accumulator_format(dtype). `product` defaults to a*b rounded to that format or exact.
  virtual double product(DType dtype, double a, double b) const;
  virtual double add_partial(DType dtype, double accumulator, double addend) const;
  // The number a literal becomes; neutral elements are realised here.
  virtual double literal(const Literal& literal) const;
};

// storage = the dtype's own format except where `like` stores wider or narrower: then a format of the same byte size that
// holds the dtype's values (i64 in 4 bytes: i32; bool in 2 bytes: i16). Compute in double, one rounding to the dtype;
// accumulate in f64. `like` may be null: host sizes.
class IdealArithmetic;
const Arithmetic& host_arithmetic();

}  // namespace faultline
