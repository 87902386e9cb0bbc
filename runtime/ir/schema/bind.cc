// Matches the arguments of a call to a schema, as torch.ops does: by position, then by keyword, then defaults, each
// converted to the argument's type.
#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/ir/schema/words.h"

namespace faultline {
namespace {

std::optional<Argument> convert_number(SchemaKind kind, const Argument& value) {
  const auto* truth = std::get_if<bool>(&value.value);
  const auto* integer = std::get_if<int64_t>(&value.value);
  const auto* real = std::get_if<double>(&value.value);
  switch (kind) {
    case SchemaKind::tensor:  // a number stands for a tensor without dims
    case SchemaKind::scalar:
      if (truth || integer || real) return value;
      return std::nullopt;
    case SchemaKind::integer:
      if (truth) return Argument{static_cast<int64_t>(*truth)};
      if (integer) return value;
      return std::nullopt;
    case SchemaKind::real:
      if (truth) return Argument{static_cast<double>(*truth)};
      if (integer) return Argument{static_cast<double>(*integer)};
      if (real) return value;
      return std::nullopt;
    default:
      if (truth) return value;
      return std::nullopt;
  }
}

std::optional<Argument> convert_word(SchemaKind kind, const Argument& value) {
  if (const auto* dtype = std::get_if<DType>(&value.value)) {
    if (kind == SchemaKind::dtype) return Argument{*dtype};
    return std::nullopt;
  }
  const auto* word = std::get_if<Keyword>(&value.value);
  if (word == nullptr) return std::nullopt;
  const std::string bare(bare_word(word->text));
  switch (kind) {
    case SchemaKind::dtype: {
      const std::optional<DType> dtype = dtype_from_word(bare);
      if (dtype) return Argument{*dtype};
      return std::nullopt;
    }
    case SchemaKind::memory_format:
      if (is_memory_format(bare)) return Argument{Keyword{bare}};
      return std::nullopt;
    case SchemaKind::layout:
      if (bare == "strided") return Argument{Keyword{bare}};
      return std::nullopt;
    case SchemaKind::string: return value;
    case SchemaKind::device:
      if (bare == "cpu" || bare == "cpu:0") return value;
      throw UserError(fmt::format("device '{}': a program's tensors live on the CPU", bare));
    default: return std::nullopt;
  }
}

std::optional<Argument> convert_single(SchemaKind kind, const Argument& value) {
  if (std::holds_alternative<ValueName>(value.value)) return value;
  switch (kind) {
    case SchemaKind::tensor:
    case SchemaKind::scalar:
    case SchemaKind::integer:
    case SchemaKind::real:
    case SchemaKind::boolean: return convert_number(kind, value);
    default: return convert_word(kind, value);
  }
}

std::optional<Argument> convert_list(const SchemaType& type, const Argument& value) {
  SchemaType element = type;
  element.list = false;
  element.optional = type.optional_elements;
  if (const auto* list = std::get_if<ArgumentList>(&value.value)) {
    ArgumentList converted;
    for (const Argument& item : *list) {
      std::optional<Argument> one = convert_argument(element, item);
      if (!one) return std::nullopt;
      converted.push_back(std::move(*one));
    }
    return Argument{std::move(converted)};
  }
  if (std::holds_alternative<ValueName>(value.value)) return value;
  if (type.list_size == 0 || type.kind == SchemaKind::tensor) return std::nullopt;
  std::optional<Argument> one = convert_argument(element, value);
  if (!one) return std::nullopt;
  return Argument{ArgumentList(static_cast<size_t>(type.list_size), *one)};
}

std::string describe(const Argument& value) {
  static constexpr std::string_view kinds[] = {"None",    "a bool", "an int",  "a float",
                                               "a dtype", "a word", "a value", "a list"};
  return std::string(kinds[value.value.index()]);
}

size_t positional_count(const OpSchema& schema) {
  size_t count = 0;
  while (count < schema.arguments.size() && !schema.arguments[count].keyword_only) ++count;
  return count;
}

size_t keyword_index(const OpSchema& schema, const std::string& keyword) {
  std::vector<std::string> names;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].name == keyword) return i;
    names.push_back(schema.arguments[i].name);
  }
  throw UserError(fmt::format("{} has no argument '{}'{}", schema.target, keyword, did_you_mean(keyword, names)));
}

Argument converted_or_throw(const OpSchema& schema, const SchemaArgument& argument, const Argument& value) {
  std::optional<Argument> converted = convert_argument(argument.type, value);
  if (converted) return std::move(*converted);
  throw UserError(fmt::format("{}: argument '{}' takes {}, got {}", schema.target, argument.name,
                              to_text(argument.type), describe(value)));
}

}  // namespace

std::optional<Argument> convert_argument(const SchemaType& type, const Argument& value) {
  if (std::holds_alternative<NoneArgument>(value.value)) {
    if (type.optional) return value;
    return std::nullopt;
  }
  return type.list ? convert_list(type, value) : convert_single(type.kind, value);
}

ArgumentList bind_arguments(const OpSchema& schema, std::span<const Argument> arguments,
                            std::span<const std::pair<std::string, Argument>> keywords) {
  const size_t positional = positional_count(schema);
  if (arguments.size() > positional)
    throw UserError(fmt::format("{} takes {} positional argument{}, got {}", schema.target, positional,
                                positional == 1 ? "" : "s", arguments.size()));
  std::vector<const Argument*> given(schema.arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) given[i] = &arguments[i];
  for (const auto& [keyword, value] : keywords) {
    const size_t index = keyword_index(schema, keyword);
    if (given[index] != nullptr)
      throw UserError(fmt::format("{}: argument '{}' is given twice", schema.target, keyword));
    given[index] = &value;
  }
  ArgumentList bound;
  bound.reserve(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const SchemaArgument& argument = schema.arguments[i];
    if (given[i] != nullptr) {
      bound.push_back(converted_or_throw(schema, argument, *given[i]));
    } else if (argument.default_value) {
      bound.push_back(*argument.default_value);
    } else if (argument.type.optional && argument.keyword_only) {
      bound.push_back({NoneArgument{}});  // "Generator? generator" of randn.generator has no written default
    } else {
      throw UserError(
          fmt::format("{}: argument '{}' ({}) is missing", schema.target, argument.name, to_text(argument.type)));
    }
  }
  return bound;
}

}  // namespace faultline
