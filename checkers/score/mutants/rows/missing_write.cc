// One store of up to 32 elements that is lost.
#include <algorithm>

#include "checkers/score/mutants/places.h"

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("missing write");
  const int64_t count = element_count(site.output.sizes), length = std::min<int64_t>(32, (count + 1) / 2);
  Passage passage = dense_passage(site.earlier.output);
  const auto first = passage.stores.begin() + draw(stream, count / length) * length;
  passage.stores.erase(first, first + length);
  implementation.result = std::move(passage);
  return true;
}

constinit const Mutant mutant_missing_write{
    .id = "missing_write",
    .summary = "32 elements in a row hold the result of the run before",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
