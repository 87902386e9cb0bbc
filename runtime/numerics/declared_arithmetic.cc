// Formats looked up by dtype; the rest is what every arithmetic does.
#include "runtime/numerics/declared_arithmetic.h"

#include <cmath>
#include <utility>

namespace faultline {

DeclaredArithmetic::DeclaredArithmetic(std::string id) : id_(std::move(id)) {
  const Arithmetic& host = host_arithmetic();
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    formats_[d] = {host.compute_format(dtype), host.accumulator_format(dtype), host.function_format(dtype),
                   host.multiplicand_format(dtype), false};
  }
}

double DeclaredArithmetic::product(DType dtype, double a, double b) const {
  if (!is_float(dtype)) return a * b;
  const Format format = of(dtype).multiplicand;
  return round_to(format, a) * round_to(format, b);
}

double DeclaredArithmetic::round(DType dtype, double exact) const {
  const double result = Arithmetic::round(dtype, exact);
  const bool flushed = flushes_subnormals(dtype) && std::fabs(result) < limits(of(dtype).compute).smallest_normal;
  return flushed ? std::copysign(0.0, result) : result;
}

}  // namespace faultline
