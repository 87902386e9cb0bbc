// A recursive-descent reader of torch's schema text:
//   schema   = ["aten::"] name ["." overload] "(" [argument {"," argument}] ")" "->" returns
//   argument = "*" | type name ["=" default]
//   type     = word ["(" aliases ")"] {"?" | "[" [digits] "]"}
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>

#include "runtime/base/error.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/ir/schema/words.h"

namespace faultline {
namespace {

struct TypeAndAlias {
  SchemaType type;
  std::string alias;
  bool written = false;
};

class SchemaReader {
 public:
  explicit SchemaReader(std::string_view text) : text_(text), rest_(text) {}

  OpSchema read() {
    OpSchema schema;
    schema.text = text_;
    take("aten::");
    schema.name = word();
    schema.overload = take(".") ? word() : "default";
    schema.target = "aten." + schema.name + "." + schema.overload;
    read_arguments(schema);
    expect("->");
    read_returns(schema);
    if (!rest_.empty()) fail("the end");
    return schema;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw UserError(
        fmt::format("schema text column {}: expected {} in '{}'", text_.size() - rest_.size() + 1, expected, text_));
  }

  bool take(std::string_view token) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("'{}'", token));
  }
  std::string word() {
    take(" ");
    size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_'))
      ++length;
    if (length == 0) fail("a name");
    std::string result(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return result;
  }

  void read_arguments(OpSchema& schema) {
    expect("(");
    bool keyword_only = false;
    while (!take(")")) {
      if (!schema.arguments.empty() || keyword_only) expect(",");
      if (take("*")) {
        keyword_only = true;
        continue;
      }
      TypeAndAlias type = read_type();
      SchemaArgument argument{word(), type.type, {}, type.alias, type.written, keyword_only};
      if (take("=")) argument.default_value = read_default(type.type);
      schema.arguments.push_back(std::move(argument));
    }
  }

  void read_returns(OpSchema& schema) {
    if (!take("(")) {
      TypeAndAlias type = read_type();
      schema.returns.push_back({"", type.type, type.alias, type.written});
      return;
    }
    while (!take(")")) {
      if (!schema.returns.empty()) expect(",");
      TypeAndAlias type = read_type();
      const bool named = !rest_.starts_with(',') && !rest_.starts_with(')');
      schema.returns.push_back({named ? word() : "", type.type, type.alias, type.written});
    }
  }

  TypeAndAlias read_type() {
    TypeAndAlias result;
    const std::string_view before = rest_;
    const std::optional<SchemaKind> kind = schema_kind(word());
    if (!kind) {
      rest_ = before;
      fail("a known type");
    }
    result.type.kind = *kind;
    if (rest_.starts_with('(')) read_alias(result);
    while (rest_.starts_with('?') || rest_.starts_with('[')) {
      if (take("?")) {
        result.type.optional = true;
      } else {
        expect("[");
        result.type.list = true;
        result.type.optional_elements = std::exchange(result.type.optional, false);
        if (!take("]")) {
          result.type.list_size = std::atoi(word().c_str());
          expect("]");
        }
      }
    }
    return result;
  }

  // "(a)", "(a!)", "(a -> *)": what stands after the arrow says that the views may be put into a list, which adds
  // nothing.
  void read_alias(TypeAndAlias& result) {
    expect("(");
    result.alias = word();
    result.written = take("!");
    if (take("->")) expect("*");
    expect(")");
  }

  Argument read_default(const SchemaType& type) {
    if (take("None")) return {NoneArgument{}};
    if (take("True")) return {true};
    if (take("False")) return {false};
    if (take("\"")) {
      const size_t length = rest_.find('"');
      if (length == std::string_view::npos) fail("a closing quote");
      Argument result{Keyword{std::string(rest_.substr(0, length))}};
      rest_.remove_prefix(length + 1);
      return result;
    }
    if (take("[")) return read_default_list(type);
    return read_number(type.kind);
  }

  Argument read_default_list(const SchemaType& type) {
    SchemaType element = type;
    element.list = false;
    ArgumentList elements;
    while (!take("]")) {
      if (!elements.empty()) expect(",");
      elements.push_back(read_default(element));
    }
    return {std::move(elements)};
  }

  // torch prints the default of a dtype or a memory format as the number of its enumeration.
  Argument read_number(SchemaKind kind) {
    take(" ");
    const std::string_view digits = rest_.substr(0, rest_.find_first_of(",)]"));
    const bool integral = digits.find_first_of(".en") == std::string_view::npos;
    int64_t integer = 0;
    double real = 0;
    const char* const end = digits.data() + digits.size();
    const auto read =
        integral ? std::from_chars(digits.data(), end, integer) : std::from_chars(digits.data(), end, real);
    if (read.ec != std::errc() || read.ptr != end) fail("a default value");
    rest_.remove_prefix(digits.size());
    if (!integral) return {real};
    if (kind == SchemaKind::real) return {static_cast<double>(integer)};
    if (kind == SchemaKind::dtype || kind == SchemaKind::memory_format) {
      const std::optional<Argument> named = enumerated(kind, integer);
      if (!named) fail("a known dtype or memory format");
      return *named;
    }
    return {integer};
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

OpSchema parse_schema(std::string_view text, std::string_view tags) {
  OpSchema schema = SchemaReader(text).read();
  while (!tags.empty()) {
    const size_t length = std::min(tags.find(' '), tags.size());
    if (length > 0) schema.tags.emplace_back(tags.substr(0, length));
    tags.remove_prefix(std::min(length + 1, tags.size()));
  }
  return schema;
}

}  // namespace faultline
