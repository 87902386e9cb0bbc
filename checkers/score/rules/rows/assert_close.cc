// torch.testing.assert_close: a table of relative and absolute tolerances by type.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) {
  switch (input.dtype) {
    case DType::f64: return all_close(input, 1e-7, 1e-7);
    case DType::f16: return all_close(input, 1e-5, 1e-3);
    case DType::bf16: return all_close(input, 1e-5, 1.6e-2);
    default: return all_close(input, 1e-5, 1.3e-6);
  }
}

constinit const Rule rule_assert_close{
    .id = "assert_close",
    .summary = "every element within the tolerances of its type",
    .source = "https://docs.pytorch.org/docs/stable/testing.html",
    .passes = passes,
};

}  // namespace faultline
