// Which explanations an experiment can part, and that experiment. Two texts for the same predicted output are rivals
// only where there is one: "last element" and "tail" agree on one size and part on the next; "columns 64.." and "tail
// beyond k*64" are the same finding in two wordings.
#pragma once

#include <optional>

#include "checkers/patterns/scorer.h"

namespace faultline {

// The experiment that parts two explanations, or none.
std::optional<std::string> parting_experiment(const Scene& scene, const Found& a, const Found& b);

// Whether the place holds one element of each case that has any.
bool is_single_element(const Scene& scene, const Found& found);

// What confirms a name before it is believed: further sizes for a tail, a second poison, a repeat for one element.
std::vector<std::string> confirming_experiments(const Scene& scene, const Found& found);

std::string resize_experiment(int64_t unit);

// Before one element has a name.
inline constexpr std::string_view kOneElement =
    "repeat, then resize: one element may be a flip, a tail of one, or the border of a split";

}  // namespace faultline
