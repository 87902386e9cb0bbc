// From doubles to bits of a type.
#include "runtime/run/step_evidence.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "runtime/numerics/rounding.h"

namespace faultline {

namespace {

// Whether the number is one of the type's, and what is due lies in its range.
bool fits(DType dtype, double got, double exact, double bound) {
  if (!is_float(dtype)) return true;
  const Format format = host_format(dtype);
  const bool in_range = !std::isfinite(exact) || !(std::fabs(exact) + bound > limits(format).largest);
  return in_range && (std::isnan(got) || decode(format, encode(format, got)) == got);
}

uint64_t bits_of_number(DType dtype, double number) {
  constexpr double kEdge = 0x1p63;
  if (is_float(dtype)) return encode(host_format(dtype), number);
  const int64_t whole = number >= kEdge ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(number);
  return encode_integer(host_format(dtype), whole);
}

}  // namespace

StepEvidence step_evidence(const ArithmeticDeparture& departure) {
  StepEvidence step{departure.operation, {}, departure.sums, departure.approximates, departure.operation.empty()};
  TensorEvidence& tensor = step.tensor;
  const DType own = departure.type.dtype;
  bool fit = true;
  for (size_t i = 0; i < departure.got.size() && fit; ++i)
    fit = fits(own, departure.got[i], departure.exact[i], departure.bound[i]);
  const DType dtype = fit ? own : DType::f64;
  tensor.name = departure.step;
  tensor.eager_type = tensor.actual_type = contiguous_type(dtype, departure.type.sizes);
  for (size_t i = 0; i < departure.got.size(); ++i) {
    tensor.actual.push_back(bits_of_number(dtype, departure.got[i]));
    tensor.eager.push_back(bits_of_number(dtype, departure.exact[i]));
  }
  tensor.target = {departure.exact, departure.bound, departure.untrusted};
  return step;
}

BrokenPromise finding_of(const ArithmeticDeparture& departure) {
  const size_t i = departure.first;
  const std::string place =
      departure.operation.empty() ? departure.step : fmt::format("{} of {}", departure.step, departure.operation);
  return {
      "bound", place,
      fmt::format("{} of {} results are not within their bound on their own operands; element {} is {:.7g}, "
                  "due {:.7g} +- {:.2g}",
                  departure.wrong, departure.got.size(), i, departure.got[i], departure.exact[i], departure.bound[i])};
}

}  // namespace faultline
