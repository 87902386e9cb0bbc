// The words of torch's schemas and programs: type names, dtypes, memory formats, and the numbers torch prints for them.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/ir/schema/schema.h"

namespace faultline {

// "SymInt" is integer, "Scalar" is scalar, ...
std::optional<SchemaKind> schema_kind(std::string_view torch_name);

// "float16", "half", "torch.float16", "f16".
std::optional<DType> dtype_from_word(std::string_view word);

// c10's number of a dtype (Float is 6) or a memory format (Contiguous is 0) as a DType or a Keyword.
std::optional<Argument> enumerated(SchemaKind kind, int64_t number);

// Without a leading "torch.".
std::string_view bare_word(std::string_view word);

// "contiguous_format", "preserve_format", "channels_last", "channels_last_3d".
bool is_memory_format(std::string_view word);

}  // namespace faultline
