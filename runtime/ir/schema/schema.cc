// The table and its look-up: a binary search over the compiled-in lines; a line is parsed when it is first asked for.
#include "runtime/ir/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "runtime/base/error.h"

namespace faultline {
namespace {

struct Line {
  std::string_view text, tags;

  std::string_view key() const { return text.substr(0, text.find('(')); }
};

constexpr Line kLines[] = {
#define ATEN(schema, tags) {schema, tags},
#include "runtime/ir/schema/aten_schemas.inc"
#undef ATEN
};

// "aten.clone.default" -> "clone", "aten.add.Tensor" -> "add.Tensor"; empty when it does not start with "aten.".
std::string_view table_key(std::string_view target) {
  if (!target.starts_with("aten.")) return {};
  target.remove_prefix(5);
  if (target.ends_with(".default")) target.remove_suffix(8);
  return target;
}

const Line* lower_bound(std::string_view key) {
  return std::lower_bound(std::begin(kLines), std::end(kLines), key,
                          [](const Line& line, std::string_view wanted) { return line.key() < wanted; });
}

const OpSchema* parsed(const Line& line) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<const OpSchema>> schemas(std::size(kLines));
  const std::lock_guard lock(mutex);
  std::unique_ptr<const OpSchema>& schema = schemas[static_cast<size_t>(&line - kLines)];
  if (!schema) schema = std::make_unique<const OpSchema>(parse_schema(line.text, line.tags));
  return schema.get();
}

}  // namespace

bool OpSchema::has_tag(std::string_view tag) const { return std::find(tags.begin(), tags.end(), tag) != tags.end(); }

bool OpSchema::mutates() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const SchemaArgument& argument) { return argument.written; });
}

bool OpSchema::is_view() const {
  return std::any_of(returns.begin(), returns.end(),
                     [](const SchemaReturn& result) { return !result.alias.empty() && !result.written; });
}

std::vector<int> OpSchema::written_arguments() const {
  std::vector<int> indices;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].written) indices.push_back(static_cast<int>(i));
  return indices;
}

const OpSchema* find_schema(std::string_view target) {
  const std::string_view key = table_key(target);
  const Line* line = lower_bound(key);
  if (key.empty() || line == std::end(kLines) || line->key() != key) return nullptr;
  return parsed(*line);
}

std::string unknown_op_text(std::string_view target) {
  return fmt::format("unknown op {}{}", target, did_you_mean(target, schema_targets()));
}

const OpSchema& schema_at(std::string_view target) {
  if (const OpSchema* schema = find_schema(target)) return *schema;
  throw UserError(unknown_op_text(target));
}

std::vector<const OpSchema*> schema_overloads(std::string_view packet) {
  std::vector<const OpSchema*> overloads;
  const std::string_view key = table_key(packet);
  if (key.empty()) return overloads;
  for (const Line* line = lower_bound(key); line != std::end(kLines) && line->key().starts_with(key); ++line) {
    const std::string_view after = line->key().substr(key.size());
    if (after.empty() || after.starts_with('.')) overloads.push_back(parsed(*line));
  }
  return overloads;
}

const std::vector<std::string>& schema_targets() {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> names;
    for (const Line& line : kLines) {
      const std::string_view key = line.key();
      const bool overloaded = key.find('.') != std::string_view::npos;
      names.push_back(fmt::format("aten.{}{}", key, overloaded ? "" : ".default"));
    }
    return names;
  }();
  return targets;
}

std::string to_text(const SchemaType& type) {
  std::string text(name(type.kind));
  if (type.list) {
    if (type.optional_elements) text += "?";
    text += type.list_size == 0 ? "[]" : fmt::format("[{}]", type.list_size);
  }
  if (type.optional) text += "?";
  return text;
}

}  // namespace faultline
