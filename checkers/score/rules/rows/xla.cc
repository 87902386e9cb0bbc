// XLA's ErrorSpec: one of two tolerances must hold.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) { return all_within_either(input, 1e-3, 1e-3); }

constinit const Rule rule_xla{
    .id = "xla",
    .summary = "every element within 1e-3, absolute or relative",
    .source = "https://github.com/openxla/xla/blob/5d8f791c1b1183d7ccf637903ac937f161d1e953/xla/error_spec.h",
    .passes = passes,
};

}  // namespace faultline
