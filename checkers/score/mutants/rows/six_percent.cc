// A small slip of one element, far outside of every rounding.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("six percent");
  const int64_t count = element_count(site.output.sizes);
  const size_t at = static_cast<size_t>(draw(stream, count));
  const Format format = host_format(site.dtype);
  implementation.upset = [at, format](Numbers& result) { result[at].real = round_to(format, 1.06 * result[at].real); };
  return true;
}

constinit const Mutant mutant_six_percent{
    .id = "six_percent",
    .summary = "one element is 6 % too large",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
