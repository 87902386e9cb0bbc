// Tables of the export schema, one line a number.
#include "runtime/ir/pt2/schema.h"

#include <fmt/format.h>

#include "runtime/ir/program_text.h"
#include "runtime/ir/pt2/archive.h"

namespace faultline {

DType read_dtype(const JsonView& view) {
  const int64_t number = view.integer();
  switch (number) {
    case 1: return DType::u8;
    case 2: return DType::i8;
    case 3: return DType::i16;
    case 4: return DType::i32;
    case 5: return DType::i64;
    case 6: return DType::f16;
    case 7: return DType::f32;
    case 8: return DType::f64;
    case 9: view.fail("the element type complex32 has no counterpart");
    case 10: view.fail("the element type complex64 has no counterpart");
    case 11: view.fail("the element type complex128 has no counterpart");
    case 12: return DType::boolean;
    case 13: return DType::bf16;
    case 28: view.fail("the element type uint16 has no counterpart");
    case 29: return DType::f8e4m3;
    case 30: return DType::f8e5m2;
    case 31: view.fail("the element type float8_e4m3fnuz has no counterpart");
    case 32: view.fail("the element type float8_e5m2fnuz has no counterpart");
    case 33: view.fail("the element type float8_e8m0fnu has no counterpart");
    case 34: view.fail("the element type uint32 has no counterpart");
    case 35: view.fail("the element type uint64 has no counterpart");
    default: view.fail(fmt::format("expected an element type of schema version {}, found {}", kSchemaMajor, number));
  }
}

std::string read_layout(const JsonView& view) {
  const int64_t number = view.integer();
  if (number == 7) return "strided";
  if (number >= 1 && number <= 6) view.fail(fmt::format("expected a strided tensor, found layout {}", number));
  view.fail(fmt::format("expected a layout of schema version {}, found {}", kSchemaMajor, number));
}

std::string read_memory_format(const JsonView& view) {
  static constexpr std::string_view names[] = {"contiguous_format", "channels_last", "channels_last_3d",
                                               "preserve_format"};
  const int64_t number = view.integer();
  if (number < 1 || number > 4)
    view.fail(fmt::format("expected a memory format of schema version {}, found {}", kSchemaMajor, number));
  return std::string(names[number - 1]);
}

std::string read_device(const JsonView& view) {
  const std::string type = view.at("type").text();
  if (!is_identifier(type)) view.fail(fmt::format("expected a device, found '{}'", printable(type)));
  return "cpu";  // a program exported on another device is judged by its values
}

int64_t read_size(const JsonView& view) {
  const auto [kind, value] = view.only_member();
  if (kind == "as_int") return value.integer();
  if (kind != "as_expr") view.fail(fmt::format("expected a size, found {}", printable(kind)));
  const auto hint = value.find("hint");
  if (!hint) value.fail("expected an expression with a hint: the number of the exporter's example");
  return hint->at("as_int").integer();
}

TensorType read_tensor_type(const JsonView& view) {
  TensorType type;
  type.dtype = read_dtype(view.at("dtype"));
  read_layout(view.at("layout"));
  for (const JsonView& size : view.at("sizes").elements()) type.sizes.push_back(read_size(size));
  for (const JsonView& stride : view.at("strides").elements()) type.strides.push_back(read_size(stride));
  type.offset = read_size(view.at("storage_offset"));
  const std::string problem = type_problem(type.sizes, &type.strides, type.offset);
  if (!problem.empty()) view.fail(fmt::format("expected a tensor within bounds: {}", problem));
  return type;
}

}  // namespace faultline
