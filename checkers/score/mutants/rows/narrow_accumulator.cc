// Partial sums in f16, or in bf16 where the type is bf16 or f32.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  if (sums_of(implementation.graph).empty()) return false;
  implementation.accumulator = site.dtype == DType::f16 ? Format::f16 : Format::bf16;
  return true;
}

constinit const Mutant mutant_narrow_accumulator{
    .id = "narrow_accumulator",
    .summary = "sums are kept in 16 bits",
    .group = "arithmetic",
    .plant = plant,
};

}  // namespace faultline
