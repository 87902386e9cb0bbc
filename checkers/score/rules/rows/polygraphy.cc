// Polygraphy's comparison with its default tolerances.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) { return all_within_either(input, 1e-5, 1e-5); }

constinit const Rule rule_polygraphy{
    .id = "polygraphy",
    .summary = "every element within 1e-5, absolute or relative",
    .source = "https://github.com/NVIDIA/TensorRT/tree/main/tools/Polygraphy",
    .passes = passes,
};

}  // namespace faultline
