// Results below the smallest normal number of their type become 0, as a unit does that somebody switched to flushing.
#include <cmath>

#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

class Flushed final : public WrappedArithmetic {
 public:
  Flushed(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter) : WrappedArithmetic(base, counter) {}

  bool is_plain(Function function, DType dtype) const override {
    return function != Function::cast && base().is_plain(function, dtype);
  }

  double round(DType dtype, double exact) const override {
    const double right = base().round(dtype, exact);
    if (!(std::abs(right) < limits(host_format(dtype)).smallest_normal)) return right;
    return instead(right, std::copysign(0.0, right));
  }
};

}  // namespace

extern const Fault fault_numerics_flush_subnormal;
constinit const Fault fault_numerics_flush_subnormal{
    .id = "numerics.flush_subnormal",
    .summary = "results below the smallest normal number become 0",
    .mechanism = "numerics.ftz",
    .origin = "https://github.com/pytorch/pytorch/issues/126848",
    .targets = "any",
    .hook = wrap_with<Flushed>,
    .example = "def f(x: f32[67]): y = aten.mul.Scalar(x, 1e-39); return y",
};

}  // namespace faultline
