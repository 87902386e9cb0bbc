// The text of a kernel program, the artefact of the layer fuse.
#include "runtime/layers/fuse/kernel_text.h"
#include "tests/fuzz/reads_back.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  return reads_back(data, size, parse_kernel_program, [](const auto& read) { return to_text(read); });
}
