// TVM's testing helper with its default tolerances.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) { return all_close(input, 1e-7, 1e-7); }

constinit const Rule rule_tvm{
    .id = "tvm",
    .summary = "every element within 1e-7 + 1e-7 |reference|",
    .source =
        "https://github.com/apache/tvm/blob/305bf572ad0d23d73cbeb14885bffdf8b7ec2e61/"
        "python/tvm/testing/utils.py",
    .passes = passes,
};

}  // namespace faultline
