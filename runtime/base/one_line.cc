// One look at each byte.
#include "runtime/base/one_line.h"

#include <string>

#include "runtime/base/error.h"

namespace faultline {

void need_one_line(std::string_view place, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte != 0x7f) continue;
    constexpr std::string_view kDigits = "0123456789abcdef";
    throw UserError(std::string(place) + ": expected one line of text, found byte 0x" + kDigits[byte >> 4] +
                    kDigits[byte & 15]);
  }
}

}  // namespace faultline
