// The text of a prim graph, the artefact of the layer decompose.
#include "runtime/ir/prim.h"
#include "tests/fuzz/reads_back.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  return reads_back(data, size, parse_prim_graph, [](const auto& read) { return to_text(read); });
}
