// One bit of one result flips: of the `nth` rounded result (or of each `every`-th), bit `bits` of its compute format,
// counted from the lowest. Without these it is the fifth result and the lowest bit of the exponent, which doubles or
// halves the number.
#include "faults/wrapped_arithmetic.h"
#include "runtime/numerics/rounding.h"

namespace faultline {

namespace {

class FlippedBit final : public WrappedArithmetic {
 public:
  FlippedBit(const Arithmetic& base, const FaultSpec& spec, const FiringCounter& counter)
      : WrappedArithmetic(base, counter), spec_(spec) {}

  bool is_plain(Function function, DType dtype) const override {
    return function != Function::cast && base().is_plain(function, dtype);
  }

  double round(DType dtype, double exact) const override {
    const double right = base().round(dtype, exact);
    ++results_;
    if (!is_struck()) return right;
    const Format format = base().compute_format(dtype);
    const int64_t bit = spec_.bits.value_or(float_shape(format).fraction_bits);
    if (bit >= 8 * byte_size(format)) return right;  // has no such bit
    return instead(right, decode(format, encode(format, right) ^ uint64_t{1} << bit));
  }

 private:
  static constexpr int64_t kFifth = 5;

  bool is_struck() const {
    if (spec_.every > 0 && results_ % spec_.every != 0) return false;
    const int64_t nth = spec_.nth > 0 || spec_.every > 0 ? spec_.nth : kFifth;
    return nth == 0 || results_ == nth;
  }

  const FaultSpec& spec_;
  mutable int64_t results_ = 0;  // one domain calls at a time
};

}  // namespace

static constexpr EffectSetting kEffects[] = {{"bits", &FaultSpec::bits, 0, 63}};
static constexpr std::string_view kTriggers[] = {"nth", "every"};

extern const Fault fault_numerics_flip1;
constinit const Fault fault_numerics_flip1{
    .id = "numerics.flip1",
    .summary = "one bit of one result flips",
    .mechanism = "numerics.flip1",
    .origin = "https://arxiv.org/abs/2605.04213",
    .targets = "any",
    .hook = wrap_with<FlippedBit>,
    .example = "def f(x: f16[67], y: f16[67]): z = aten.add.Tensor(x, y); return z",
    .effects = kEffects,
    .triggers = kTriggers,
};

}  // namespace faultline
