// What the report says besides the name: where the wrong values occur otherwise, how scattered elements lie, and
// whether identical runs agree.
#pragma once

#include "checkers/patterns/scene.h"

namespace faultline {

// Fills `sources`: the reference and the known buffers that hold the wrong values, whatever the place.
void add_sources(const Scene& scene, PatternReport& report);

// No rule beats the list: status, evenness over every known unit and tile (chi squared), bits flipped, what to do.
// `scattered`: what a rule says of most of the values, if one does.
void decide_unstructured(const Scene& scene, const std::string& scattered, PatternReport& report);

// If the repeats of some case fail elsewhere than its first run: that comes first in the report.
void add_repeats(const Scene& scene, PatternReport& report);

// Probability of a chi squared of at least `value` with so many degrees of freedom (Wilson and Hilferty 1931,
// https://doi.org/10.1073/pnas.17.12.684): within a few thousandths for five degrees and more.
double chi_squared_tail(double value, double degrees);

}  // namespace faultline
