// Text that messages quote as it stands must be one line, or the message is none.
#pragma once

#include <string_view>

namespace faultline {

// Throws UserError "<place>: expected one line of text, found byte 0x0a" unless that holds.
void need_one_line(std::string_view place, std::string_view text);

}  // namespace faultline
