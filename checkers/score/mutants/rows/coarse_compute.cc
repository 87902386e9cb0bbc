// What is inside an operation is kept in bf16, whatever the type of its operands.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  implementation.compute = Format::bf16;
  return site.dtype != DType::bf16 || !sums_of(implementation.graph).empty();
}

constinit const Mutant mutant_coarse_compute{
    .id = "coarse_compute",
    .summary = "an operation computes in bf16",
    .group = "arithmetic",
    .plant = plant,
};

}  // namespace faultline
