// Segments as text: the printer, and a parser that checks the numbering of values.
#include "runtime/ir/segment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/base/error.h"
#include "runtime/ir/artefact_text.h"
#include "runtime/ir/program_text.h"

namespace faultline {

bool SegmentArgument::operator==(const SegmentArgument& other) const {
  const double* left = std::get_if<double>(&value);
  const double* right = std::get_if<double>(&other.value);
  return left && right ? same_number(*left, *right) : value == other.value;
}

int value_count(const Segment& segment) {
  size_t count = segment.inputs.size();
  for (const SegmentCall& call : segment.calls) count += call.results.size();
  return static_cast<int>(count);
}

static std::string list_of(const SegmentArguments& list) {
  std::string text;
  for (const SegmentArgument& argument : list) text += (text.empty() ? "" : ", ") + to_text(argument);
  return text;
}

std::string to_text(const SegmentArgument& argument) {
  if (const auto* value = std::get_if<ValueId>(&argument.value)) return value_text(value->index);
  if (const auto* list = std::get_if<SegmentArguments>(&argument.value)) return "[" + list_of(*list) + "]";
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, ValueId> || std::is_same_v<T, SegmentArguments>)
          return "";
        else
          return to_text(Argument{value});
      },
      argument.value);
}

std::string to_text(const Segment& segment) {
  std::string text = fmt::format("segment {}({}):\n", name_text(segment.name), to_text(segment.inputs));
  for (const SegmentCall& call : segment.calls) {
    std::vector<std::string> results;
    for (const int result : call.results) results.push_back(value_text(result));
    text += fmt::format("  {}{}{}({})", fmt::join(results, ", "), results.empty() ? "" : " = ", call.target,
                        list_of(call.arguments));
    text += call.statement >= 0 ? fmt::format(" at {}\n", call.statement) : "\n";
  }
  std::vector<std::string> outputs;
  for (const SegmentOutput& output : segment.outputs)
    outputs.push_back(name_text(output.name) + " " + value_text(output.value));
  return text + fmt::format("  return{}{}\n", outputs.empty() ? "" : " ", fmt::join(outputs, ", "));
}

namespace {

class SegmentParser {
 public:
  explicit SegmentParser(std::string_view text) : lexer_(text, "segment") {}

  Segment parse() {
    lexer_.skip_separators();
    if (!lexer_.take_word("segment")) lexer_.expected("segment");
    segment_.name = take_name(lexer_);
    lexer_.take_open("(");
    segment_.inputs = take_inputs(lexer_);
    lexer_.take_close(")");
    need(":");
    defined_ = static_cast<int>(segment_.inputs.size());
    lexer_.skip_separators();
    while (!lexer_.take_word("return")) parse_call();
    while (lexer_.token().kind == TokenKind::word || lexer_.token().kind == TokenKind::string) {
      SegmentOutput output{take_name(lexer_), 0};
      output.value = used_value();
      segment_.outputs.push_back(std::move(output));
      if (!lexer_.take_symbol(",")) break;
    }
    take_line_end(lexer_);
    if (lexer_.token().kind != TokenKind::end) lexer_.expected("the end of the text");
    return std::move(segment_);
  }

 private:
  void need(std::string_view symbol) {
    if (!lexer_.take_symbol(symbol)) lexer_.expected(fmt::format("'{}'", symbol));
  }

  int used_value() {
    const size_t begin = lexer_.token().begin;
    const int value = take_value(lexer_);
    if (value < 0 || value >= defined_) lexer_.fail_at(begin, fmt::format("value %{} is not defined here", value));
    return value;
  }

  void parse_call() {
    SegmentCall call;
    while (lexer_.at_symbol("%")) {
      const size_t begin = lexer_.token().begin;
      const int expected = defined_ + static_cast<int>(call.results.size());
      call.results.push_back(take_value(lexer_));
      if (call.results.back() != expected)
        lexer_.fail_at(begin, fmt::format("value %{} is defined where %{} is next", call.results.back(), expected));
      if (!lexer_.take_symbol(",")) break;
    }
    if (!call.results.empty()) need("=");
    if (lexer_.token().kind != TokenKind::word) lexer_.expected("the name of an op");
    call.target = lexer_.token().text;
    lexer_.advance();
    call.target += "." + lexer_.take_path(".");
    lexer_.take_open("(");
    call.arguments = arguments(")");
    lexer_.take_close(")");
    if (lexer_.take_word("at")) call.statement = static_cast<int>(take_integer(lexer_));
    take_line_end(lexer_);
    defined_ += static_cast<int>(call.results.size());
    segment_.calls.push_back(std::move(call));
  }

  SegmentArguments arguments(std::string_view close) {
    SegmentArguments list;
    while (!lexer_.at_symbol(close)) {
      list.push_back(argument());
      if (!lexer_.take_symbol(",")) break;
    }
    return list;
  }

  SegmentArgument argument() {
    if (lexer_.at_symbol("%")) return {ValueId{used_value()}};
    if (lexer_.take_symbol("[")) {
      SegmentArguments list = arguments("]");
      need("]");
      return {std::move(list)};
    }
    if (lexer_.at_symbol("-") || lexer_.token().kind == TokenKind::real || lexer_.token().kind == TokenKind::integer ||
        lexer_.at_word("inf") || lexer_.at_word("nan"))
      return number();
    if (lexer_.token().kind == TokenKind::string) return {Keyword{take_name(lexer_)}};
    if (lexer_.take_word("None")) return {NoneArgument{}};
    if (lexer_.take_word("True")) return {true};
    if (lexer_.take_word("False")) return {false};
    const std::optional<DType> dtype = dtype_from_name(lexer_.token().text);
    if (!dtype && !is_bare_keyword(lexer_.token().text)) lexer_.expected("an argument");
    std::string word(lexer_.token().text);
    lexer_.advance();
    if (dtype) return {*dtype};
    return {Keyword{std::move(word)}};
  }

  SegmentArgument number() {
    const bool negative = lexer_.take_symbol("-");
    if (lexer_.token().kind != TokenKind::integer) {
      const double value = take_real(lexer_);
      return {negative ? -value : value};
    }
    if (!negative) return {take_integer(lexer_)};
    const std::string text = "-" + std::string(lexer_.token().text);  // which outlives the lexer that looks into it
    TextLexer again(text, "segment");
    lexer_.advance();
    return {take_integer(again)};
  }

  TextLexer lexer_;
  Segment segment_;
  int defined_ = 0;
};

}  // namespace

Segment parse_segment(std::string_view text) { return SegmentParser(text).parse(); }

}  // namespace faultline
