// Polygraphy's comparison with its default tolerances. It never lets NaN agree with NaN; no reference here has one.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) { return all_within_either(input, 1e-5, 1e-5); }

constinit const Rule rule_polygraphy{
    .id = "polygraphy",
    .summary = "every element within 1e-5, absolute or relative",
    .source =
        "https://github.com/NVIDIA/TensorRT/blob/922d13f56778e3a9201a53dda31ee5e050c644e6/"
        "tools/Polygraphy/polygraphy/comparator/compare.py",
    .passes = passes,
};

}  // namespace faultline
