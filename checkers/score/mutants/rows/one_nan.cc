// A NaN from nowhere.
#include "checkers/score/mutants/places.h"
#include <limits>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("nan");
  const int64_t count = element_count(site.output.sizes);
  const size_t at = static_cast<size_t>(draw(stream, count));
  implementation.upset = [at](Numbers& result) { result[at].real = std::numeric_limits<double>::quiet_NaN(); };
  return true;
}

constinit const Mutant mutant_one_nan{
    .id = "one_nan",
    .summary = "one element is NaN",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
