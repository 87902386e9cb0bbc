// The promises of a capture: every fact of the state that an entry's trace made use of is guarded, breaks stand exactly
// at reads of data, and nothing mutable is baked in.
#pragma once

#include "runtime/layers/capture/capture.h"
#include "runtime/layers/finding.h"

namespace faultline {

std::vector<Finding> verify_capture(const Program& program, const Capture& capture);

}  // namespace faultline
