// Control: sums, products and quotients of 16-bit floats stay in f32 until they are stored, as they do in a fused
// kernel. No result gets worse, so whoever accuses this raises a false alarm.
#include <cmath>

#include "faults/wrapped_arithmetic.h"
#include "runtime/numerics/scalar.h"

namespace faultline {

namespace {

class ElidedRounding final : public WrappedArithmetic {
 public:
  ElidedRounding(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  bool is_plain(Function function, DType dtype) const override {
    return !stays_wide(function, dtype) && base().is_plain(function, dtype);
  }

  double function(Function function, DType dtype, double a, double b) const override {
    const double right = WrappedArithmetic::function(function, dtype, a, b);
    if (!stays_wide(function, dtype) || !std::isfinite(right)) return right;
    return instead(right, round_to(Format::f32, scalar_function(function, a, b)));
  }

 private:
  static bool stays_wide(Function function, DType dtype) {
    return is_half(dtype) && row(function).kind == FunctionKind::arithmetic;
  }
};

}  // namespace

extern const Fault fault_numerics_ctl_cast;
constinit const Fault fault_numerics_ctl_cast{
    .id = "numerics.ctl_cast",
    .summary = "intermediate roundings of 16-bit arithmetic are elided, legally",
    .mechanism = "numerics.ctl_cast",
    .origin = "https://github.com/pytorch/pytorch/issues/185337",
    .targets = "any",
    .expect = Expect::benign,
    .hook = wrap_with<ElidedRounding>,
    .example = "def f(x: f16[67], y: f16[67]): a = aten.mul.Tensor(x, y); z = aten.add.Tensor(a, x); return z",
};

}  // namespace faultline
