// The text of a machine program, the artefact of the layer schedule.
#include "runtime/layers/schedule/machine_text.h"
#include "tests/fuzz/reads_back.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  return reads_back(data, size, parse_machine_program, [](const auto& read) { return to_text(read); });
}
