// The single wrong element of a wrong address: it is read where its neighbour lies.
#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("neighbour");
  Passage passage = dense_passage(site.earlier.output);
  const auto at = static_cast<size_t>(draw(stream, element_count(site.output.sizes) - 1));
  ++passage.loads[at];
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_neighbour{
    .id = "neighbour",
    .summary = "one element is its neighbour",
    .group = "output",
    .plant = plant,
};

}  // namespace faultline
