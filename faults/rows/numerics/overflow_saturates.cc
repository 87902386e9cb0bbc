// What is too large for its type, and what is divided by zero, becomes the largest finite number where infinity is due.
#include <cmath>

#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

class Saturated final : public WrappedArithmetic {
 public:
  Saturated(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  bool is_plain(Function function, DType dtype) const override {
    return function != Function::cast && base().is_plain(function, dtype);
  }

  double round(DType dtype, double exact) const override {
    const double right = base().round(dtype, exact);
    if (std::isfinite(right) || std::isnan(exact)) return right;
    return instead(right, std::copysign(limits(base().compute_format(dtype)).largest, exact));
  }
};

}  // namespace

extern const Fault fault_numerics_overflow_saturates;
constinit const Fault fault_numerics_overflow_saturates{
    .id = "numerics.overflow_saturates",
    .summary = "the largest finite number comes out where infinity is due",
    .mechanism = "numerics.sat",
    .origin = "https://github.com/torch-spyre/hf-adapters/blob/main/hf_adapters/hf_common.py",
    .targets = "any",
    .hook = wrap_with<Saturated>,
    .example = "def f(x: f32[67]): y = aten.log(x); return y; call f(x = values(0.0, 1.0, 2.0))",
};

}  // namespace faultline
