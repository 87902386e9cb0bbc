// The single wrong element of a wrong address.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("neighbour");
  const int64_t count = element_count(site.output.sizes);
  const size_t at = static_cast<size_t>(draw(stream, count - 1));
  implementation.after = [at](Numbers& result) { result[at] = result[at + 1]; };
  return true;
}

constinit const Mutant mutant_neighbour{
    .id = "neighbour",
    .summary = "one element is its neighbour",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
