// What leaves for bf16 is cut off instead of rounded: results are biased towards zero.
#include <cmath>

#include "faults/wrapped_arithmetic.h"

namespace faultline {

namespace {

// Where device memory holds bf16 as another format, the conversion back is the one that truncates; else it is every
// operation.
class TruncatedBf16 final : public WrappedArithmetic {
 public:
  TruncatedBf16(const Arithmetic& base, const FaultSpec&, const FiringCounter& counter)
      : WrappedArithmetic(base, counter), converts_(base.storage_format(DType::bf16) != Format::bf16) {}

  bool is_plain(Function function, DType dtype) const override {
    const bool rounds = function == Function::cast && dtype == DType::bf16 && !converts_;
    return !rounds && base().is_plain(function, dtype);
  }

  double round(DType dtype, double exact) const override {
    const double right = base().round(dtype, exact);
    if (dtype != DType::bf16 || converts_ || !std::isfinite(right)) return right;
    return instead(right, round_to(base().compute_format(dtype), exact, Rounding::toward_zero));
  }

  uint64_t device_to_host(DType dtype, uint64_t device_bits) const override {
    const uint64_t right = base().device_to_host(dtype, device_bits);
    if (dtype != DType::bf16 || !converts_ || !std::isfinite(decode(Format::bf16, right))) return right;
    const double value = decode(base().storage_format(dtype), device_bits);
    return instead(right, encode(Format::bf16, value, Rounding::toward_zero));
  }

 private:
  bool converts_;
};

}  // namespace

extern const Fault fault_numerics_bf16_trunc;
constinit const Fault fault_numerics_bf16_trunc{
    .id = "numerics.bf16_trunc",
    .summary = "conversion to bf16 truncates instead of rounding",
    .mechanism = "numerics.round",
    .origin = "https://github.com/torch-spyre/torch-spyre/issues/2478",
    .targets = "any",
    .hook = wrap_with<TruncatedBf16>,
    .example = "def f(x: bf16[67], y: bf16[67]): z = aten.add.Tensor(x, y); return z",
};

}  // namespace faultline
