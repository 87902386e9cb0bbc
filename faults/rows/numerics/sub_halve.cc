// The exponent of subnormal numbers is off by one in the conversion back to the host, so that what is subnormal there
// arrives halved.
#include <cmath>

#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

class HalvedSubnormals final : public WrappedArithmetic {
 public:
  HalvedSubnormals(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter) {}

  uint64_t device_to_host(DType dtype, uint64_t device_bits) const override {
    const uint64_t right = base().device_to_host(dtype, device_bits);
    if (!is_float(dtype)) return right;
    const Format host = host_format(dtype);
    const double value = decode(host, right);
    if (!(std::abs(value) < limits(host).smallest_normal)) return right;
    return instead(right, encode(host, value / 2, Rounding::toward_zero));
  }
};

}  // namespace

extern const Fault fault_numerics_sub_halve;
constinit const Fault fault_numerics_sub_halve{
    .id = "numerics.sub_halve",
    .summary = "results in the subnormal range of the host's format arrive halved",
    .mechanism = "numerics.ftz",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/4689",
    .targets = "any",
    .hook = wrap_with<HalvedSubnormals>,
    .example = "def f(x: f16[67]): y = aten.mul.Scalar(x, 1e-5); return y",
};

}  // namespace faultline
