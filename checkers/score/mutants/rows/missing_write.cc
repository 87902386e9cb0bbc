// One store that is lost.
#include "checkers/score/mutants/places.h"
#include <algorithm>

namespace faultline {

static bool plant(Implementation& implementation, const MutantSite& site) {
  PhiloxStream stream = site.stream("missing write");
  const int64_t count = element_count(site.output.sizes), length = std::min<int64_t>(32, (count + 1) / 2);
  const int64_t from = draw(stream, count / length) * length;
  const Numbers before(site.earlier.begin() + from, site.earlier.begin() + from + length);
  implementation.after = [=](Numbers& result) { std::copy(before.begin(), before.end(), result.begin() + from); };
  return true;
}

constinit const Mutant mutant_missing_write{
    .id = "missing_write",
    .summary = "32 elements in a row hold what memory held before",
    .group = "layout",
    .plant = plant,
};

}  // namespace faultline
