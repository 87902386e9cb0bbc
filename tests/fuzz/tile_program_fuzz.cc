// The text of a tile program, the artefact of the layer tile.
#include "runtime/layers/tile/tile_program.h"
#include "tests/fuzz/reads_back.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  return reads_back(data, size, parse_tile_program, [](const auto& read) { return to_text(read); });
}
