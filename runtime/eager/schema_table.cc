// Lists torch's operators in byte order of their names and keeps those that belong in the table.
#include "runtime/eager/schema_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/eager/module.h"
#include "runtime/eager/torch_table.h"

namespace faultline {
namespace {

// Starts of names, after an optional underscore: other devices' kernels, and families with a representation of their
// own.
constexpr std::string_view kFamilies[] = {"foreach",   "fused",  "mkldnn",         "miopen", "cudnn", "sparse",
                                          "cslt",      "nested", "quantized",      "fbgemm", "mps",   "xnn",
                                          "thnn",      "cuda",   "efficient",      "flash",  "fake",  "fw_primal",
                                          "make_dual", "sobol",  "validate",       "test",   "cufft", "weight_int",
                                          "dyn_quant", "amp",    "conv_depthwise", "triton"};
constexpr std::string_view kWords[] = {"sparse", "quantize", "nested", "mkldnn", "backward"};
// Autograd's and dispatch's own bookkeeping, and calls into files and pinned memory.
constexpr std::string_view kBookkeeping[] = {"_foobar",
                                             "_propagate_xla_data",
                                             "_make_dep_token",
                                             "_lazy_clone",
                                             "set_data",
                                             "output_nr",
                                             "retain_grad",
                                             "retains_grad",
                                             "requires_grad_",
                                             "get_gradients",
                                             "data",
                                             "is_leaf",
                                             "_version",
                                             "_unpack_dual",
                                             "_remove_batch_dim",
                                             "_add_batch_dim",
                                             "_wrapped_linear_prepack",
                                             "_convert_weight_to_int4pack_for_cpu",
                                             "from_file",
                                             "pin_memory",
                                             "_pin_memory",
                                             "is_pinned"};

template <size_t N>
bool any(const std::string_view (&rows)[N], auto condition) {
  return std::any_of(std::begin(rows), std::end(rows), condition);
}

bool excluded_by_name(std::string_view name) {
  std::string_view bare = name;
  if (bare.starts_with('_')) bare.remove_prefix(1);
  return any(kFamilies, [&](std::string_view row) { return bare.starts_with(row); }) ||
         any(kWords, [&](std::string_view row) { return name.find(row) != std::string_view::npos; }) ||
         any(kBookkeeping, [&](std::string_view row) { return name == row; });
}

bool has_tensor(const OpSchema& schema) {
  const auto is_tensor = [](const auto& item) { return item.type.kind == SchemaKind::tensor; };
  return std::any_of(schema.arguments.begin(), schema.arguments.end(), is_tensor) ||
         std::any_of(schema.returns.begin(), schema.returns.end(), is_tensor);
}

std::optional<OpSchema> parsed(const std::string& text, const std::string& tags) {
  try {
    return parse_schema(text, tags);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace

bool belongs_in_table(const OpSchema& schema, bool has_cpu_kernel) {
  const bool out = std::any_of(schema.arguments.begin(), schema.arguments.end(), [](const SchemaArgument& argument) {
    return argument.keyword_only && argument.written;
  });
  if (out || !has_cpu_kernel) return false;
  return schema.has_tag("core") || (has_tensor(schema) && !excluded_by_name(schema.name));
}

std::string aten_schema_table() {
  std::string lines;
  const TorchTable* table = torch_module().table;
  for (int32_t i = 0; table != nullptr && i < table->op_count; ++i) {
    const std::string full = table->op_names[i];
    if (!full.starts_with("aten::")) continue;
    const size_t dot = full.find('.');
    const std::string overload = dot == std::string::npos ? "" : full.substr(dot + 1);
    const TorchOp* op = table->find_op(full.substr(0, dot).c_str(), overload.c_str());
    FAULTLINE_CHECK(op != nullptr, full);
    const std::string text = table->schema(op), tags = table->tags(op);
    const std::optional<OpSchema> schema = parsed(text, tags);
    if (schema && belongs_in_table(*schema, table->has_cpu_kernel(op)))
      lines += fmt::format("ATEN(R\"({})\", \"{}\")\n", text.substr(6), tags);
  }
  return lines;
}

}  // namespace faultline
