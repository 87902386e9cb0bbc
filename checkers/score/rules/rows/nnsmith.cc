// NNSmith holds outputs to one absolute and one relative tolerance, whatever the type; NaN agrees with NaN.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) { return all_close(input, 1e-3, 1e-2); }

constinit const Rule rule_nnsmith{
    .id = "nnsmith",
    .summary = "every element within 1e-3 + 1e-2 |reference|",
    .source = "https://github.com/ise-uiuc/nnsmith/blob/21897d2526fa0edb96d6d8e74c4cbcb2ea39e15e/nnsmith/difftest.py",
    .passes = passes,
};

}  // namespace faultline
