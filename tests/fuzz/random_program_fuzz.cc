// Any bytes decide a program, which its parser takes and prints back.
#include <cstddef>
#include <cstdint>

#include "generate/random_program.h"
#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  ByteChoices choices({data, size});
  const std::string text = generate::random_program(choices, generate::kAsReported);
  const Program program = parse_program(text, "random");
  FAULTLINE_CHECK(parse_program(to_line(program), "line") == program, text);
  return 0;
}
