// Calls that end the process instead of raising: refused before torch sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/eager/value.h"

namespace faultline {

// Whether calls of `target` need asking at all; look-up by name, done once an operator.
bool may_end_process(std::string_view target);
// Why torch must not run this call, or nothing. Exact for operands of one shape, otherwise on the safe side.
std::optional<std::string> ends_process(std::string_view target, const ValueList& arguments);

}  // namespace faultline
