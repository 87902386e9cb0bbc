// What a machine's number hardware does, declared. A target derives from this; IdealArithmetic is the reference of the
// rungs above `numerics`: values kept in their own dtype, computed in double and rounded once.
//
// Pure and thread-safe. Values of float dtypes arrive and leave as doubles that compute_format(dtype) holds exactly;
// values of integer and bool dtypes are int64 and never pass through here but for storage.
//
// Four groups: where numbers lie (storage, transfers), one scalar function, sums of products, and what an error bound
// may assume. A target overrides what it does differently; a target that overrides function(), round(), product() or
// add_partial() must leave the matching is_plain...() false, which is the default: true lets the domains run loops of
// their own that do what the definitions here do.
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
  // False says without a throw that storage_format(dtype) is rejected.
  virtual bool has(DType) const { return true; }
  // How an element of `dtype` lies in device memory. Throws Rejected when the machine has no such type.
  virtual Format storage_format(DType dtype) const = 0;
  // The format every operation on `dtype` rounds to, once. For integers and bool: the width they wrap at.
  virtual Format compute_format(DType dtype) const = 0;
  // The format of partial sums (and products of floats) for `dtype`. Integers and bool accumulate in i64.
  virtual Format accumulator_format(DType dtype) const = 0;
  // How the machine rounds to a float format, everywhere but in transfers.
  virtual Rounding rounding(Format) const { return Rounding::nearest_even; }

  // Host element bits (host_format(dtype)) to device bits (storage_format(dtype)) and back: the storage map of
  // transfers. The default decodes and encodes; integers keep their low bits.
  virtual uint64_t host_to_device(DType dtype, uint64_t host_bits) const;
  virtual uint64_t device_to_host(DType dtype, uint64_t device_bits) const;
  // True: the two are the defaults.
  virtual bool is_plain_transfer(DType) const { return false; }

  // One scalar float function, already rounded to compute_format(dtype). The default computes in double and calls
  // round().
  virtual double function(Function function, DType dtype, double a, double b) const;
  virtual double round(DType dtype, double exact) const;
  // True: function(f, dtype, ...) is the default; for Function::cast, round() is.
  virtual bool is_plain(Function, DType) const { return false; }

  // acc and the result are values of accumulator_format(dtype). The default product is a*b in double, exact for all but
  // f64 (f32: 48 bits); the default sum rounds once to that format.
  virtual double product(DType dtype, double a, double b) const;
  virtual double add_partial(DType dtype, double accumulator, double addend) const;
  // The same for the partial products of a prod reduction, which round to partial_product_format(dtype).
  virtual double multiply_partial(DType dtype, double accumulator, double factor) const;
  virtual Format partial_product_format(DType dtype) const { return accumulator_format(dtype); }
  // True: product(), add_partial() and multiply_partial() are the defaults and product_block() is 1.
  virtual bool is_plain_sum(DType) const { return false; }

  // Machines that sum products in blocks (a tensor core's step, a systolic column, a chunked accumulator): the length
  // of a block in k, and the accumulator after `count` products (count < length only for the last block of a sum).
  virtual int product_block(DType) const { return 1; }
  virtual double add_products(DType dtype, double accumulator, const double* a, const double* b, int count) const;

  // The number a float literal becomes; neutral elements are realised here.
  virtual double literal(const Literal& literal) const;
  // The number a literal of an integer or bool dtype becomes: wrapped to the compute width, neutral extremes saturated
  // to it and to what memory holds.
  int64_t integer_literal(const Literal& literal) const;

  // For error bounds. The format in which a scalar function is evaluated, before it is rounded to
  // compute_format.
  virtual Format function_format(DType dtype) const { return compute_format(dtype); }
  // Relative error of what a function rounds on its way, beyond the profile's ulps of function_format.
  virtual double inner_error(Function, DType) const { return 0; }
  // What multiplicands of a contraction are cut to before the product.
  virtual Format multiplicand_format(DType dtype) const { return compute_format(dtype); }
  // Unit roundoff of one addition of partial sums, in the declared rounding.
  virtual double sum_unit_roundoff(DType dtype) const;
  // Factor g so that |computed - exact| <= g * sum of |terms|, in any legal order; infinity when there is no bound.
  // `places` are the terms with the exact zeros among them, which round nothing but may fill a block.
  virtual double sum_error(DType dtype, int64_t terms, int64_t places) const;
  // Factor g so that |computed - exact| <= g * product of |factors|, in any order.
  double product_error(DType dtype, int64_t factors) const;
  // Results under the smallest normal of compute_format become 0.
  virtual bool flushes_subnormals(DType dtype) const { return compute_format(dtype) == Format::dl16; }
};

// n*u/(1 - n*u), or infinity when n*u >= 1.
double gamma_factor(double terms, double unit_roundoff);

// Storage = the dtype's own format except where `like` stores wider or narrower: then a format of the same byte size
// that holds the dtype's values (i64 in 4 bytes: i32; bool in 2 bytes: i16). Compute in double, one rounding to the
// dtype; accumulate in f64. `like` may be null (host sizes); it must outlive this object and its rejections are kept.
class IdealArithmetic final : public Arithmetic {
 public:
  explicit IdealArithmetic(const Arithmetic* like = nullptr) : like_(like) {}

  std::string_view id() const override { return "ideal"; }
  bool has(DType dtype) const override { return like_ == nullptr || like_->has(dtype); }
  Format storage_format(DType dtype) const override;
  Format compute_format(DType dtype) const override { return host_format(dtype); }
  Format accumulator_format(DType dtype) const override { return is_float(dtype) ? Format::f64 : Format::i64; }
  bool is_plain_transfer(DType) const override { return true; }
  bool is_plain(Function, DType) const override { return true; }
  bool is_plain_sum(DType) const override { return true; }

 private:
  const Arithmetic* like_;
};

// PyTorch's eager mode on a CPU, nearly: host formats, functions rounded once, 8- and 16-bit floats summed in f32 but
// multiplied up in their own format. The kernels of rsqrt for 16-bit floats differ: whole vectors round once, single
// elements round the root to the type before they invert it. The bound covers both.
const Arithmetic& host_arithmetic();

}  // namespace faultline
