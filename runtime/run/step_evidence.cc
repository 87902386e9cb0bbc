// From doubles to bits of a type.
#include "runtime/run/step_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/numerics/rounding.h"

namespace faultline {

namespace {

bool fits(DType dtype, double number) {
  if (!is_float(dtype)) return true;
  return std::isnan(number) || decode(host_format(dtype), encode(host_format(dtype), number)) == number;
}

uint64_t bits_of_number(DType dtype, double number) {
  if (!is_float(dtype)) return encode_integer(host_format(dtype), static_cast<int64_t>(number));
  return encode(host_format(dtype), number);
}

size_t first_wrong(const ArithmeticDeparture& departure, double largest) {
  for (size_t i = 0; i < departure.got.size(); ++i)
    if (departure.untrusted[i] == 0 &&
        agreement(departure.exact[i], departure.bound[i], departure.got[i], largest) == Agreement::beyond)
      return i;
  return 0;
}

}  // namespace

StepEvidence step_evidence(const ArithmeticDeparture& departure) {
  StepEvidence step{departure.operation, {}, departure.sums, departure.approximates, departure.operation.empty()};
  TensorEvidence& tensor = step.tensor;
  const DType own = departure.type.dtype;
  const bool fit = std::all_of(departure.got.begin(), departure.got.end(), [&](double got) { return fits(own, got); });
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
  const DType dtype = departure.type.dtype;
  const size_t i = first_wrong(departure, is_float(dtype) ? limits(host_format(dtype)).largest : 0);
  const std::string place =
      departure.operation.empty() ? departure.step : fmt::format("{} of {}", departure.step, departure.operation);
  return {
      "bound", place,
      fmt::format("{} of {} results are not within their bound on their own operands; element {} is {:.7g}, "
                  "due {:.7g} +- {:.2g}",
                  departure.wrong, departure.got.size(), i, departure.got[i], departure.exact[i], departure.bound[i])};
}

}  // namespace faultline
