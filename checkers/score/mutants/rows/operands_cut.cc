// Operands that lose bits on the way into a sum; of bf16, results that are truncated in place of rounded.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  if (sums_of(implementation.graph).empty()) return false;
  if (site.dtype == DType::bf16)
    implementation.narrowing = Rounding::toward_zero;
  else
    implementation.multiplicand = Format::bf16;
  return true;
}

constinit const Mutant mutant_operands_cut{
    .id = "operands_cut",
    .summary = "factors and terms are cut to bf16",
    .group = "arithmetic",
    .plant = plant,
};

}  // namespace faultline
