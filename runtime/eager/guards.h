// Calls that end the process instead of raising: refused before torch sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/eager/value.h"

namespace faultline {

enum class Guard : uint8_t {
  none,
  division,  // ends_process() tells by the operands
  trial,     // known to crash or hang on some arguments: call it in a forked child first, at the cost of a fork (1 to 3
             // ms)
};
// By name alone; asked once an operator.
Guard guard_of(std::string_view target);
// Why torch must not run this division, or nothing. Exact for operands of one shape, otherwise on the safe side.
std::optional<std::string> ends_process(std::string_view target, const ValueList& arguments);

}  // namespace faultline
