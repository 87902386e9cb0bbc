// One segment of the tables behind the transcendental functions is off: results are right but for a band of operands.
#include <algorithm>
#include <cmath>

#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

constexpr double kSegmentLow = 0.5, kSegmentHigh = 0.75, kError = 0x1p-5;

bool has_table(Function function) {
  constexpr Function kFunctions[] = {Function::exp,  Function::exp2,  Function::expm1, Function::log,
                                     Function::log2, Function::log10, Function::log1p, Function::sin,
                                     Function::cos,  Function::tan,   Function::sinh,  Function::cosh,
                                     Function::tanh, Function::erf,   Function::erfc,  Function::atan};
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

class BentSegment final : public WrappedArithmetic {
 public:
  BentSegment(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  bool is_plain(Function function, DType dtype) const override {
    return !has_table(function) && base().is_plain(function, dtype);
  }

  double function(Function function, DType dtype, double a, double b) const override {
    const double right = WrappedArithmetic::function(function, dtype, a, b);
    const double magnitude = std::abs(a);
    if (!has_table(function) || !(magnitude >= kSegmentLow && magnitude < kSegmentHigh)) return right;
    return instead(right, round(dtype, right * (1 + kError)));
  }
};

}  // namespace

extern const Fault fault_numerics_lut_segment;
constinit const Fault fault_numerics_lut_segment{
    .id = "numerics.lut_segment",
    .summary = "transcendental functions are a thirty-second off for operands of 0.5 to 0.75",
    .mechanism = "numerics.lut",
    .origin = "https://github.com/pytorch/pytorch/issues/198183",
    .targets = "any",
    .hook = wrap_with<BentSegment>,
    .example = "def f(x: f16[67]): y = aten.tanh(x); return y",
};

}  // namespace faultline
