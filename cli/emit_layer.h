// The artefact that one layer leaves of every segment of a case, as text, with the case's faults planted.
#pragma once

#include <string>
#include <vector>

#include "runtime/core/case.h"
#include "taxonomy/layer.h"

namespace faultline {

struct EmittedArtefact {
  std::string segment, text;
  std::string descriptors;  // of `schedule`: JSON in the target's own format, where it has one
};

// Segments come in the order in which a run meets them. Where a program goes after it has read a scalar depends on
// data, so the host side and the prims are run. Throws UserError, Rejected, Crashed.
std::vector<EmittedArtefact> emit_layer(const Case& test_case, Layer layer);

}  // namespace faultline
