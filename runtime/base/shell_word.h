// Text as one word of a POSIX shell, for commands that a report prints to be pasted.
#pragma once

#include <string>
#include <string_view>

namespace faultline {

// Between apostrophes a shell takes everything as it is but the apostrophe itself, which stands outside of them.
inline std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char character : text) {
    if (character == '\'')
      word += "'\\''";
    else
      word += character;
  }
  return word + "'";
}

}  // namespace faultline
