// Control: products are summed eight at a time, from the last to the first. Any order of a sum is as good as another
// and the bound covers them all, so whoever accuses this raises a false alarm.
#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

constexpr int kBlock = 8;

class ReorderedSums final : public WrappedArithmetic {
 public:
  ReorderedSums(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  bool is_plain_sum(DType dtype) const override { return !reorders(dtype) && base().is_plain_sum(dtype); }
  int product_block(DType dtype) const override { return reorders(dtype) ? kBlock : base().product_block(dtype); }

  double add_products(DType dtype, double accumulator, const double* a, const double* b, int count) const override {
    const double right = WrappedArithmetic::add_products(dtype, accumulator, a, b, count);
    if (!reorders(dtype)) return right;
    double block = 0;
    for (int k = count; k-- > 0;) block = base().add_partial(dtype, block, base().product(dtype, a[k], b[k]));
    return instead(right, base().add_partial(dtype, accumulator, block));
  }

 private:
  bool reorders(DType dtype) const { return is_float(dtype) && base().product_block(dtype) == 1; }
};

}  // namespace

extern const Fault fault_numerics_ctl_reorder;
constinit const Fault fault_numerics_ctl_reorder{
    .id = "numerics.ctl_reorder",
    .summary = "products are summed in another order, legally",
    .mechanism = "numerics.ctl_reorder",
    .origin = "https://github.com/pytorch/pytorch/issues/142839",
    .targets = "any",
    .expect = Expect::benign,
    .hook = wrap_with<ReorderedSums>,
    .example = "def f(x: f32[3,67], w: f32[67,5]): y = aten.mm(x, w); return y",
};

}  // namespace faultline
