// IREE's runner (--expected_output) compares with an absolute tolerance of the type and one relative tolerance for all;
// NaN agrees with NaN. Earlier releases had no relative one and compared bf16 bit by bit. The file's own repository has
// moved on since; the pinned copy is of the version that is written anew here.
#include "checkers/score/rules/rule.h"

namespace faultline {

static bool passes(const RuleInput& input) {
  constexpr double kRelative = 1e-5;
  switch (input.dtype) {
    case DType::f16: return all_close(input, 1e-3, kRelative);
    case DType::bf16: return all_close(input, 1e-2, kRelative);
    default: return all_close(input, 1e-4, kRelative);
  }
}

constinit const Rule rule_iree{
    .id = "iree",
    .summary = "every element within an absolute tolerance of its type + 1e-5 |reference|",
    .source =
        "https://github.com/ROCm/hrx-system/blob/aef6852dc7ce4575a7a1ac6d3b36f9337528d2c1/"
        "runtime/src/iree/tooling/comparison.cc",
    .passes = passes,
};

}  // namespace faultline
