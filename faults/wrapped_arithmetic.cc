// What is shared with the wrapped arithmetic, and what comes back to this object.
#include "faults/wrapped_arithmetic.h"

#include <cmath>

namespace faultline {

uint64_t WrappedArithmetic::host_to_device(DType dtype, uint64_t host_bits) const {
  return base_.host_to_device(dtype, host_bits);
}

uint64_t WrappedArithmetic::device_to_host(DType dtype, uint64_t device_bits) const {
  return base_.device_to_host(dtype, device_bits);
}

double WrappedArithmetic::function(Function function, DType dtype, double a, double b) const {
  return base_.is_plain(function, dtype) ? Arithmetic::function(function, dtype, a, b)
                                         : base_.function(function, dtype, a, b);
}

double WrappedArithmetic::round(DType dtype, double exact) const { return base_.round(dtype, exact); }

bool WrappedArithmetic::is_plain(Function function, DType dtype) const { return base_.is_plain(function, dtype); }

double WrappedArithmetic::product(DType dtype, double a, double b) const { return base_.product(dtype, a, b); }

double WrappedArithmetic::add_partial(DType dtype, double accumulator, double addend) const {
  return base_.add_partial(dtype, accumulator, addend);
}

double WrappedArithmetic::multiply_partial(DType dtype, double accumulator, double factor) const {
  return base_.multiply_partial(dtype, accumulator, factor);
}

double WrappedArithmetic::add_products(DType dtype, double accumulator, const double* a, const double* b,
                                       int count) const {
  return base_.product_block(dtype) == 1 ? Arithmetic::add_products(dtype, accumulator, a, b, count)
                                         : base_.add_products(dtype, accumulator, a, b, count);
}

double WrappedArithmetic::instead(double right, double mine) const {
  const bool both_nan = std::isnan(right) && std::isnan(mine);
  if (right != mine && !both_nan) counter_.count();
  return mine;
}

uint64_t WrappedArithmetic::instead(uint64_t right, uint64_t mine) const {
  if (right != mine) counter_.count();
  return mine;
}

}  // namespace faultline
