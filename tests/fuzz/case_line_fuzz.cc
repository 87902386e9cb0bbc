// Case lines whose program stands in the line; one that names a file is left alone, since the fuzzer would open
// whatever path it makes up, pipes and devices among them.
#include <tuple>

#include "runtime/core/case.h"
#include "tests/fuzz/reads_back.h"

namespace {

struct Line {
  faultline::Case value;
  bool operator==(const Line& other) const {
    const auto parts = [](const faultline::Case& c) {
      return std::tie(c.program, c.program_path, c.backend, c.faults, c.memory, c.seed);
    };
    return parts(value) == parts(other.value);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  if (std::string_view(reinterpret_cast<const char*>(data), size).find("program=@") != std::string_view::npos) return 0;
  return reads_back(
      data, size, [](std::string_view text) { return Line{parse_case(text)}; },
      [](const Line& line) { return to_line(line.value); });
}
