// Three small tables, searched in order.
#include "runtime/ir/schema/words.h"

#include <array>

namespace faultline {
namespace {

struct KindRow {
  std::string_view torch_name;
  SchemaKind kind;
};
constexpr KindRow kKinds[] = {
    {"Tensor", SchemaKind::tensor},       {"Scalar", SchemaKind::scalar}, {"int", SchemaKind::integer},
    {"SymInt", SchemaKind::integer},      {"float", SchemaKind::real},    {"bool", SchemaKind::boolean},
    {"SymBool", SchemaKind::boolean},     {"str", SchemaKind::string},    {"ScalarType", SchemaKind::dtype},
    {"Layout", SchemaKind::layout},       {"Device", SchemaKind::device}, {"MemoryFormat", SchemaKind::memory_format},
    {"Generator", SchemaKind::generator},
};

struct DTypeRow {
  DType dtype;
  int number;  // c10::ScalarType
  std::array<std::string_view, 2> words;
};
constexpr DTypeRow kDTypes[] = {
    {DType::u8, 0, {"uint8", "uint8"}},
    {DType::i8, 1, {"int8", "int8"}},
    {DType::i16, 2, {"int16", "short"}},
    {DType::i32, 3, {"int32", "int"}},
    {DType::i64, 4, {"int64", "long"}},
    {DType::f16, 5, {"float16", "half"}},
    {DType::f32, 6, {"float32", "float"}},
    {DType::f64, 7, {"float64", "double"}},
    {DType::boolean, 11, {"bool", "bool"}},
    {DType::bf16, 15, {"bfloat16", "bfloat16"}},
    {DType::f8e5m2, 23, {"float8_e5m2", "float8_e5m2"}},
    {DType::f8e4m3, 24, {"float8_e4m3fn", "float8_e4m3fn"}},
};

constexpr std::string_view kMemoryFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                               "channels_last_3d"};

}  // namespace

std::optional<SchemaKind> schema_kind(std::string_view torch_name) {
  for (const KindRow& row : kKinds)
    if (row.torch_name == torch_name) return row.kind;
  return std::nullopt;
}

std::string_view name(SchemaKind kind) {
  for (const KindRow& row : kKinds)
    if (row.kind == kind) return row.torch_name;
  return {};
}

std::string_view bare_word(std::string_view word) {
  if (word.starts_with("torch.")) word.remove_prefix(6);
  return word;
}

std::optional<DType> dtype_from_word(std::string_view word) {
  word = bare_word(word);
  for (const DTypeRow& row : kDTypes)
    if (row.words[0] == word || row.words[1] == word) return row.dtype;
  return dtype_from_name(word);
}

bool is_memory_format(std::string_view word) {
  for (const std::string_view format : kMemoryFormats)
    if (format == word) return true;
  return false;
}

std::optional<Argument> enumerated(SchemaKind kind, int64_t number) {
  if (kind == SchemaKind::dtype) {
    for (const DTypeRow& row : kDTypes)
      if (row.number == number) return Argument{row.dtype};
  } else if (number >= 0 && number < static_cast<int64_t>(std::size(kMemoryFormats))) {
    return Argument{Keyword{std::string(kMemoryFormats[number])}};
  }
  return std::nullopt;
}

}  // namespace faultline
