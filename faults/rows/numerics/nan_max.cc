// maximum and minimum answer with the operand that is a number where the other is NaN, as some units define them;
// PyTorch's keep the NaN.
#include <cmath>

#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

bool chooses(Function function) { return function == Function::maximum || function == Function::minimum; }

class SwallowedNan final : public WrappedArithmetic {
 public:
  SwallowedNan(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  bool is_plain(Function function, DType dtype) const override {
    return !chooses(function) && base().is_plain(function, dtype);
  }

  double function(Function function, DType dtype, double a, double b) const override {
    const double right = WrappedArithmetic::function(function, dtype, a, b);
    if (!chooses(function) || !std::isnan(right)) return right;
    return instead(right, std::isnan(a) ? b : a);
  }
};

}  // namespace

extern const Fault fault_numerics_nan_max;
constinit const Fault fault_numerics_nan_max{
    .id = "numerics.nan_max",
    .summary = "maximum and minimum swallow NaN",
    .mechanism = "numerics.nan",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1833",
    .targets = "any",
    .hook = wrap_with<SwallowedNan>,
    .example = "def f(x: f32[67]): y = aten.log(x); z = aten.relu(y); return z",
};

}  // namespace faultline
