// What reports say about a tensor in the same words.
#pragma once

#include <string>
#include <string_view>

#include "runtime/core/verdict.h"

namespace faultline {

// Texts of a verdict come from programs and from compilers under test: control characters in them must not reach a
// terminal.
std::string clean(std::string_view text);

// "y", "input x after the call (call 1)".
std::string tensor_name(const WrongTensor& tensor);

}  // namespace faultline
