// The text of the capture layer's artefact.
#include "runtime/layers/capture/capture.h"
#include "tests/fuzz/reads_back.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  return reads_back(data, size, parse_capture, [](const auto& read) { return to_text(read); });
}
