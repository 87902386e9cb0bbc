// Fault text, as it stands in a case line and in a campaign's file.
#include "runtime/core/fault_spec.h"
#include "tests/fuzz/reads_back.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  return reads_back(data, size, parse_faults, [](const auto& read) { return to_text(read); });
}
