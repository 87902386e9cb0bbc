// torch._dynamo.utils.same, by which the benchmarks of torch.compile judge accuracy: allclose, else an aggregate.
#include <cmath>

#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) {
  constexpr double kTolerance = 1e-3;
  if (all_close(input, kTolerance, kTolerance)) return true;
  const auto error = [&](std::span<const double> values) {
    double squares = 0;
    for (size_t i = 0; i < values.size(); ++i) squares += (values[i] - input.exact[i]) * (values[i] - input.exact[i]);
    return std::sqrt(squares / static_cast<double>(values.size()));
  };
  const bool narrow = input.dtype == DType::f16 || input.dtype == DType::bf16;
  const double multiplier = narrow || input.result.size() < 1000 ? 3 : 2;
  return error(input.result) <= multiplier * error(input.reference) + kTolerance / 10;
}

constinit const Rule rule_same{
    .id = "same",
    .summary = "allclose at 1e-3, or the RMSE to fp64 at most 2 (3) times eager's + 1e-4",
    .source = "https://github.com/pytorch/pytorch/blob/main/torch/_dynamo/utils.py",
    .passes = passes,
};

}  // namespace faultline
