// IREE's runner compares with absolute tolerances alone.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) {
  switch (input.dtype) {
    case DType::f16: return all_close(input, 1e-3, 0);
    case DType::bf16: return all_close(input, 1e-2, 0);
    default: return all_close(input, 1e-4, 0);
  }
}

constinit const Rule rule_iree{
    .id = "iree",
    .summary = "every element within an absolute tolerance of its type",
    .source = "https://github.com/iree-org/iree",
    .passes = passes,
};

}  // namespace faultline
