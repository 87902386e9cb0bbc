// What every fuzz target of a text format asks: any bytes are refused with one line, or are a structure whose printed
// form is read back as an equal one. Anything else ends the run with its input kept as a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/error.h"

namespace faultline {

// `print` gives the text of what `parse` returns; both are called twice, since a printed form must also be its own.
template <class Parse, class Print>
int reads_back(const uint8_t* data, size_t size, Parse&& parse, Print&& print) {
  try {
    const auto read = parse(std::string_view(reinterpret_cast<const char*>(data), size));
    const std::string text = print(read);
    const auto again = [&] {
      try {
        return parse(std::string_view(text));
      } catch (const UserError& error) {
        FAULTLINE_CHECK(false, std::string("the printed form is refused: ") + error.what() + "\n" + text);
        throw;
      }
    }();
    FAULTLINE_CHECK(again == read, text);
    FAULTLINE_CHECK(print(again) == text, text);
  } catch (const UserError& error) {
    FAULTLINE_CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos, error.what());
  }
  return 0;
}

}  // namespace faultline
