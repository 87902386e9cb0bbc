// NNSmith holds outputs to one absolute and one relative tolerance, whatever the type.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) { return all_close(input, 1e-3, 1e-2); }

constinit const Rule rule_nnsmith{
    .id = "nnsmith",
    .summary = "every element within 1e-3 + 1e-2 |reference|",
    .source = "https://github.com/ise-uiuc/nnsmith",
    .passes = passes,
};

}  // namespace faultline
