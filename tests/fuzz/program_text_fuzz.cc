// Any text is refused with one line or is a Program whose two printed forms read back.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  try {
    const Program program = parse_program({reinterpret_cast<const char*>(data), size}, "fuzz");
    const std::string text = to_text(program), line = to_line(program);
    FAULTLINE_CHECK(parse_program(text, "text") == program, text);
    FAULTLINE_CHECK(parse_program(line, "line") == program, line);
  } catch (const UserError& error) {
    FAULTLINE_CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos, error.what());
  }
  return 0;
}
