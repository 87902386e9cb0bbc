// XLA's ErrorSpec: one of two tolerances must hold.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) { return all_within_either(input, 1e-3, 1e-3); }

constinit const Rule rule_xla{
    .id = "xla",
    .summary = "every element within 1e-3, absolute or relative",
    .source = "https://github.com/openxla/xla/blob/main/xla/error_spec.h",
    .passes = passes,
};

}  // namespace faultline
