// A flipped sign bit.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("sign");
  const int64_t count = element_count(site.output.sizes);
  const size_t at = static_cast<size_t>(draw(stream, count));
  implementation.upset = [at](Numbers& result) { result[at].real = -result[at].real; };
  return true;
}

constinit const Mutant mutant_sign_flipped{
    .id = "sign_flipped",
    .summary = "one element has the other sign",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
