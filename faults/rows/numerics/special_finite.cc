// Infinity and NaN are read as the numbers that their exponent would mean if it were one like others.
#include <algorithm>
#include <cmath>

#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

// The exponent field of all ones, as the next binade after the last; no more than the device's format can hold.
double read_as_finite(DType dtype, Format device, double value) {
  const double next = std::exp2(std::floor(std::log2(limits(host_format(dtype)).largest)) + 1);
  const double magnitude = std::isnan(value) ? next * 1.5 : next;
  return std::copysign(std::min(magnitude, limits(device).largest), value);
}

class FiniteSpecials final : public WrappedArithmetic {
 public:
  FiniteSpecials(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  uint64_t host_to_device(DType dtype, uint64_t host_bits) const override {
    const uint64_t right = base().host_to_device(dtype, host_bits);
    if (!is_float(dtype)) return right;
    const double value = decode(host_format(dtype), host_bits);
    if (std::isfinite(value)) return right;
    const Format device = base().storage_format(dtype);
    return instead(right, encode(device, read_as_finite(dtype, device, value)));
  }
};

}  // namespace

extern const Fault fault_numerics_special_finite;
constinit const Fault fault_numerics_special_finite{
    .id = "numerics.special_finite",
    .summary = "infinity and NaN arrive on the device as finite numbers",
    .mechanism = "numerics.nan",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/1831",
    .targets = "any",
    .hook = wrap_with<FiniteSpecials>,
    .example = "def f(x: f32[67]): y = aten.log(x); return y; call f(x = values(1.0, inf, 2.0))",
};

}  // namespace faultline
