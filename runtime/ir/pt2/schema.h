// The numbers and records of torch.export's own schema (torch/_export/serde/schema.py, major version 8). Its dtype,
// layout and memory-format numbers are not those of c10: FLOAT is 7 here and 6 there, so that a wrong table would
// read f32 as f64.
#pragma once

#include <string>

#include "runtime/ir/pt2/json_view.h"
#include "runtime/ir/tensor.h"

namespace faultline {

inline constexpr int64_t kSchemaMajor = 8;

// Throw UserError at the view for a number that the schema does not have, or that a Program cannot hold (complex
// types, unsigned types of more than 8 bits, sparse layouts).
DType read_dtype(const JsonView& view);
std::string read_layout(const JsonView& view);         // "strided"
std::string read_memory_format(const JsonView& view);  // "contiguous_format", ...
std::string read_device(const JsonView& view);         // "cpu", whichever it names

// A SymInt: its number, or the hint of its expression.
int64_t read_size(const JsonView& view);
// A TensorMeta as a type within the bounds of type_problem().
TensorType read_tensor_type(const JsonView& view);

}  // namespace faultline
