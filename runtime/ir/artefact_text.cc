// Readers over TextLexer and the printers that go with them.
#include "runtime/ir/artefact_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"

namespace faultline {

std::string name_text(const std::string& name) { return is_identifier(name) ? name : to_text(Argument{Keyword{name}}); }

std::string take_name(TextLexer& lexer) {
  std::string name;
  if (lexer.token().kind == TokenKind::string)
    name = lexer.unquoted();
  else if (lexer.token().kind == TokenKind::word)
    name = lexer.token().text;
  else
    lexer.expected("a name");
  lexer.advance();
  return name;
}

static void take_symbol(TextLexer& lexer, std::string_view symbol) {
  if (!lexer.take_symbol(symbol)) lexer.expected(fmt::format("'{}'", symbol));
}

int64_t take_integer(TextLexer& lexer) {
  const bool negative = lexer.take_symbol("-");
  if (lexer.token().kind != TokenKind::integer) lexer.expected("an integer");
  const std::string text = (negative ? "-" : "") + std::string(lexer.token().text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) lexer.expected("an integer of 64 bits");
  lexer.advance();
  return value;
}

int take_index(TextLexer& lexer) {
  const size_t begin = lexer.token().begin;
  const int64_t value = take_integer(lexer);
  if (value < 0 || value > std::numeric_limits<int>::max())
    lexer.fail_at(begin, fmt::format("expected an index of 0 to {}, found {}", std::numeric_limits<int>::max(), value));
  return static_cast<int>(value);
}

// A number as it is written, which a double must be able to hold.
static double take_digits(TextLexer& lexer) {
  const std::string_view text = lexer.token().text;
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc())
    lexer.expected("a number within a double's range");
  return value;
}

double take_real(TextLexer& lexer) {
  const bool negative = lexer.take_symbol("-");
  double value = 0;
  if (lexer.at_word("inf"))
    value = std::numeric_limits<double>::infinity();
  else if (lexer.at_word("nan"))
    value = std::numeric_limits<double>::quiet_NaN();
  else if (lexer.token().kind == TokenKind::integer || lexer.token().kind == TokenKind::real)
    value = take_digits(lexer);
  else
    lexer.expected("a number");
  lexer.advance();
  return negative ? -value : value;
}

std::string list_text(std::span<const int64_t> list) { return fmt::format("[{}]", fmt::join(list, ",")); }

std::vector<int64_t> take_list(TextLexer& lexer) {
  std::vector<int64_t> list;
  take_symbol(lexer, "[");
  while (!lexer.at_symbol("]")) {
    list.push_back(take_integer(lexer));
    if (!lexer.take_symbol(",")) break;
  }
  take_symbol(lexer, "]");
  return list;
}

// "stride=1,4 offset=2 of=a" without the braces; `owner` may be null where `of` is not allowed.
static void take_placement(TextLexer& lexer, TensorType& type, std::string* owner) {
  while (!lexer.at_symbol("}")) {
    if (lexer.take_word("stride")) {
      take_symbol(lexer, "=");
      type.strides.clear();
      do type.strides.push_back(take_integer(lexer));
      while (lexer.take_symbol(","));
    } else if (lexer.take_word("offset")) {
      take_symbol(lexer, "=");
      type.offset = take_integer(lexer);
    } else if (owner && lexer.take_word("of")) {
      take_symbol(lexer, "=");
      *owner = take_name(lexer);
    } else {
      lexer.expected(owner ? "stride, offset or of" : "stride or offset");
    }
  }
}

static TensorType take_placed_type(TextLexer& lexer, std::string* owner) {
  const size_t begin = lexer.token().begin;
  const std::optional<DType> dtype = dtype_from_name(lexer.token().text);
  if (!dtype) lexer.expected("a dtype");
  lexer.advance();
  TensorType type{*dtype, take_list(lexer), {}, 0};
  if (const std::string problem = type_problem(type.sizes, nullptr, 0); !problem.empty()) lexer.fail_at(begin, problem);
  type.strides = contiguous_strides(type.sizes);
  if (!lexer.take_symbol("{")) return type;
  take_placement(lexer, type, owner);
  take_symbol(lexer, "}");
  const std::string problem = type_problem(type.sizes, &type.strides, type.offset);
  if (!problem.empty()) lexer.fail_at(begin, problem);
  return type;
}

TensorType take_type(TextLexer& lexer) { return take_placed_type(lexer, nullptr); }

std::string to_text(const std::vector<GraphInput>& inputs) {
  std::string text;
  for (const GraphInput& input : inputs) {
    std::string type = to_text(input.type);
    if (input.alias_of >= 0) {
      const std::string owner = "of=" + name_text(inputs[input.alias_of].name) + "}";
      if (type.back() == '}')
        type.back() = ' ';
      else
        type += "{";
      type += owner;
    }
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name_text(input.name), type);
  }
  return text;
}

std::vector<GraphInput> take_inputs(TextLexer& lexer) {
  std::vector<GraphInput> inputs;
  const auto index_of = [&](const std::string& name) {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].name == name) return static_cast<int>(i);
    return -1;
  };
  while (!lexer.at_symbol(")")) {
    const size_t begin = lexer.token().begin;
    GraphInput input{take_name(lexer), {}, -1};
    if (index_of(input.name) >= 0) lexer.fail_at(begin, fmt::format("two inputs are called '{}'", input.name));
    take_symbol(lexer, ":");
    std::string owner;
    input.type = take_placed_type(lexer, &owner);
    if (!owner.empty() && (input.alias_of = index_of(owner)) < 0)
      lexer.fail_at(begin, fmt::format("no earlier input is called '{}'", owner));
    inputs.push_back(std::move(input));
    if (!lexer.take_symbol(",")) break;
  }
  return inputs;
}

std::string value_text(int value) { return fmt::format("%{}", value); }

int take_value(TextLexer& lexer) {
  take_symbol(lexer, "%");
  return take_index(lexer);
}

Literal take_literal(TextLexer& lexer) {
  std::optional<Reduction> neutral;
  std::string number;
  if (lexer.take_word("neutral")) {
    take_symbol(lexer, "(");
    neutral = reduction_from_name(lexer.token().text);
    if (!neutral) lexer.expected("a reduction");
    lexer.advance();
    take_symbol(lexer, ")");
  } else {
    number = lexer.take_symbol("-") ? "-" : "";
    number += lexer.token().text;
    const bool word = lexer.at_word("inf") || lexer.at_word("nan") || lexer.at_word("true") || lexer.at_word("false");
    if (!word && lexer.token().kind != TokenKind::integer && lexer.token().kind != TokenKind::real)
      lexer.expected("a literal");
    lexer.advance();
  }
  take_symbol(lexer, ":");
  const std::optional<DType> dtype = dtype_from_name(lexer.token().text);
  if (!dtype) lexer.expected("a dtype");
  lexer.advance();
  if (neutral) return neutral_literal(*neutral, *dtype);
  TextLexer again(number, "literal");
  if (*dtype == DType::boolean) {
    if (number != "true" && number != "false") again.expected("true or false");
    return integer_literal(number == "true", *dtype);
  }
  return is_float(*dtype) ? real_literal(take_real(again), *dtype) : integer_literal(take_integer(again), *dtype);
}

void take_line_end(TextLexer& lexer) {
  if (!lexer.at_separator() && lexer.token().kind != TokenKind::end) lexer.expected("the end of the line");
  lexer.skip_separators();
}

}  // namespace faultline
