// Partial sums of 16-bit floats are kept in DL16, nine fraction bits, where a wider format is declared. The error grows
// with the number of terms.
#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

class NarrowSums final : public WrappedArithmetic {
 public:
  NarrowSums(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  bool is_plain_sum(DType dtype) const override { return !narrows(dtype) && base().is_plain_sum(dtype); }

  double add_partial(DType dtype, double accumulator, double addend) const override {
    return narrowed(dtype, base().add_partial(dtype, accumulator, addend));
  }
  double multiply_partial(DType dtype, double accumulator, double factor) const override {
    return narrowed(dtype, base().multiply_partial(dtype, accumulator, factor));
  }
  double add_products(DType dtype, double accumulator, const double* a, const double* b, int count) const override {
    return narrowed(dtype, WrappedArithmetic::add_products(dtype, accumulator, a, b, count));
  }

 private:
  static bool narrows(DType dtype) { return is_half(dtype); }

  double narrowed(DType dtype, double sum) const {
    if (!narrows(dtype)) return sum;
    return instead(sum, round_to(Format::dl16, sum, base().rounding(Format::dl16)));
  }
};

}  // namespace

extern const Fault fault_numerics_psum_dl16;
constinit const Fault fault_numerics_psum_dl16{
    .id = "numerics.psum_dl16",
    .summary = "partial sums of 16-bit floats are kept in DL16",
    .mechanism = "numerics.acc",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1970",
    .targets = "any",
    .hook = wrap_with<NarrowSums>,
    .example = "def f(x: f16[67,1024]): y = aten.sum.dim_IntList(x, [1]); return y; call f(x = uniform())",
};

}  // namespace faultline
