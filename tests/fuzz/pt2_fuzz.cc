// Any bytes are refused with one line or are a Program that its text form reads back. Input that starts with '{' is
// the model's JSON of an archive that is otherwise in order, because no fuzzer gets past the CRC of a member.
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/reader.h"
#include "tests/zip_writer.h"

namespace {

constexpr const char* kWeights =
    R"({"config": {"w": {"path_name": "weight_0", "is_param": true, "use_pickle": false, "tensor_meta": {"dtype": 7,
    "sizes": [{"as_int": 2}, {"as_int": 3}], "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0},
    "layout": 7}}, "v": {"path_name": "weight_0", "is_param": true, "use_pickle": false, "tensor_meta": {"dtype": 7,
    "sizes": [{"as_int": 2}], "strides": [{"as_int": 2}], "storage_offset": {"as_int": 1}, "layout": 7}}}})";

std::string archive_around(const std::string& model) {
  faultline::ZipWriter writer;
  writer.add({"m/archive_format", "pt2"});
  writer.add({"m/archive_version", "0"});
  writer.add({"m/models/model.json", model});
  writer.add({"m/data/weights/model_weights_config.json", kWeights});
  writer.add({"m/data/weights/weight_0", std::string(24, '\x3f')});
  return writer.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace faultline;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] == '{') bytes = archive_around(bytes);
  try {
    const Program program = read_pt2(as_bytes(bytes), "fuzz.pt2");
    const std::string text = to_text(program);
    FAULTLINE_CHECK(parse_program(text, "text") == program, text);
  } catch (const UserError& error) {
    FAULTLINE_CHECK(std::string(error.what()).find('\n') == std::string::npos, error.what());
  }
  return 0;
}
