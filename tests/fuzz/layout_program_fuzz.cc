// The text of a layout program, the artefact of the layer layout.
#include "runtime/layers/layout/layout_program.h"
#include "tests/fuzz/reads_back.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  return reads_back(data, size, parse_layout_program, [](const auto& read) { return to_text(read); });
}
