// What ATen's operators take and give: argument names, types, defaults, which arguments are written, which results are
// views. Read from a table compiled in (aten_schemas.inc), so that nothing here needs torch.
//
// The table leaves out `out=` variants, backward operators outside Core ATen, and operators of sparse, quantised and
// nested tensors. An operator of another library (torchvision's, a user's) is not in it either.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/ir/program.h"

namespace faultline {

enum class SchemaKind : uint8_t {
  tensor,
  scalar,
  integer,
  real,
  boolean,
  string,
  dtype,
  layout,
  device,
  memory_format,
  generator
};

std::string_view name(SchemaKind kind);

// "int[2]?" is an optional list of integers of expected size 2; a single int stands for that many of them. SymInt is
// integer.
struct SchemaType {
  SchemaKind kind = SchemaKind::tensor;
  bool list = false;
  int list_size = 0;               // 0: any
  bool optional = false;           // the whole may be None
  bool optional_elements = false;  // "Tensor?[]"

  bool operator==(const SchemaType&) const = default;
};

// `alias` is the letter of "Tensor(a)": the argument's storage is shared with each result of that letter. `written` is
// "a!".
struct SchemaArgument {
  std::string name;
  SchemaType type;
  std::optional<Argument> default_value;
  std::string alias;
  bool written = false;
  bool keyword_only = false;
};
struct SchemaReturn {
  std::string name;  // often empty
  SchemaType type;
  std::string alias;
  bool written = false;
};

struct OpSchema {
  std::string target;    // "aten.add.Tensor"
  std::string name;      // "add"
  std::string overload;  // "Tensor", or "default"
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaReturn> returns;
  std::vector<std::string> tags;  // core, pointwise, reduction, inplace_view, view_copy, dynamic_output_shape, ...
  std::string text;               // as torch prints it

  bool has_tag(std::string_view tag) const;
  bool mutates() const;
  // A result shares storage with an argument that is not written.
  bool is_view() const;
  std::vector<int> written_arguments() const;
};

// "aten.add.Tensor"; "aten.clone" means "aten.clone.default". Null when the table has no such operator. Thread-safe;
// the pointer holds for the life of the process.
const OpSchema* find_schema(std::string_view target);
// As find_schema, but throws UserError "unknown op aten.addd.Tensor, did you mean 'aten.add.Tensor'?".
const OpSchema& schema_at(std::string_view target);
// That line.
std::string unknown_op_text(std::string_view target);
// Every overload of "aten.add", in the table's order; empty for an unknown name.
std::vector<const OpSchema*> schema_overloads(std::string_view packet);
// Every target of the table, in its order, which is byte order of "name.overload" with an empty default overload.
const std::vector<std::string>& schema_targets();

// One value for each argument of the schema, in its order: what was passed, or the default. A lone int becomes a list
// where the schema has a sized list, an int becomes a real where it has float, and keywords lose a "torch." prefix; a
// dtype's or a memory format's word becomes a DType or a canonical Keyword. Throws UserError, with the operator's name,
// for a missing, surplus, repeated, unknown or ill-typed argument. A ValueName passes for any type: what it holds is
// known only when it runs.
ArgumentList bind_arguments(const OpSchema& schema, std::span<const Argument> arguments,
                            std::span<const std::pair<std::string, Argument>> keywords = {});

// The same for one value: what `value` becomes as an argument of `type`, or nothing when it cannot be one.
std::optional<Argument> convert_argument(const SchemaType& type, const Argument& value);

// Parses one line of torch's own schema text, "aten::add.Tensor(Tensor self, ...) -> Tensor" (the namespace may be
// missing). Throws UserError for text that is none, or that has a type without a SchemaKind.
OpSchema parse_schema(std::string_view text, std::string_view tags = {});

// "Tensor", "int[2]?", "Tensor?[]".
std::string to_text(const SchemaType& type);

}  // namespace faultline
