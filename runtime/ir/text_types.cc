// Numbers, tensor types and data sources of program text, with their bounds checked before anything is computed from
// them.
#include "runtime/ir/text_types.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"

namespace faultline {

static int64_t integer_value(TextLexer& lexer, bool negative) {
  const std::string digits = (negative ? "-" : "") + std::string(lexer.token().text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) lexer.expected("an integer of 64 bits");
  lexer.advance();
  return value;
}

int64_t parse_integer(TextLexer& lexer, std::string_view what) {
  const bool negative = lexer.take_symbol("-");
  if (lexer.token().kind != TokenKind::integer) lexer.expected(what);
  return integer_value(lexer, negative);
}

bool at_number(const TextLexer& lexer) {
  const TokenKind kind = lexer.token().kind;
  return kind == TokenKind::integer || kind == TokenKind::real || lexer.at_symbol("-") || lexer.at_word("inf") ||
         lexer.at_word("nan");
}

Scalar parse_number(TextLexer& lexer, std::string_view what) {
  const bool negative = lexer.take_symbol("-");
  if (lexer.token().kind == TokenKind::integer) return integer_value(lexer, negative);
  double value = 0;
  if (lexer.at_word("inf")) {
    value = std::numeric_limits<double>::infinity();
  } else if (lexer.at_word("nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (lexer.token().kind == TokenKind::real) {
    const std::string_view text = lexer.token().text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      lexer.expected("a number within the range of a double (or inf)");
  } else {
    lexer.expected(what);
  }
  lexer.advance();
  return negative ? -value : value;
}

Scalar parse_scalar(TextLexer& lexer, std::string_view what) {
  if (lexer.take_word("True")) return true;
  if (lexer.take_word("False")) return false;
  return parse_number(lexer, what);
}

// PyTorch's own names are too far from ours for an edit distance.
static std::string torch_dtype_suggestion(std::string_view word) {
  static constexpr std::pair<std::string_view, DType> names[] = {
      {"float64", DType::f64}, {"double", DType::f64},    {"float32", DType::f32}, {"float16", DType::f16},
      {"half", DType::f16},    {"bfloat16", DType::bf16}, {"int64", DType::i64},   {"long", DType::i64},
      {"int32", DType::i32},   {"int16", DType::i16},     {"int8", DType::i8},     {"uint8", DType::u8}};
  for (const auto& [torch_name, dtype] : names)
    if (torch_name == word) return fmt::format(", did you mean '{}'?", name(dtype));
  return "";
}

static DType parse_dtype(TextLexer& lexer) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i < kDTypeCount; ++i) all.emplace_back(name(static_cast<DType>(i)));
    return all;
  }();
  const std::optional<DType> dtype = dtype_from_name(lexer.token().text);
  if (!dtype) {
    const std::string suggestion = torch_dtype_suggestion(lexer.token().text);
    lexer.expected("a type such as f32[4], int, float or bool",
                   suggestion.empty() ? did_you_mean(lexer.token().text, names) : suggestion);
  }
  lexer.advance();
  return *dtype;
}

static Sizes parse_strides(TextLexer& lexer) {
  Sizes strides;
  do strides.push_back(parse_integer(lexer, "a stride"));
  while (lexer.take_symbol(","));
  return strides;
}

// "{stride=1,4 offset=2 of=a}" after the sizes; each at most once.
static void parse_view(TextLexer& lexer, TypeText& result, std::optional<Sizes>& strides, bool may_alias) {
  static const std::vector<std::string> keys = {"stride", "offset", "of"};
  bool has_offset = false;
  lexer.take_open("{");
  while (!lexer.at_symbol("}")) {
    const Token key = lexer.token();
    const bool again = (key.text == "stride" && strides) || (key.text == "offset" && has_offset) ||
                       (key.text == "of" && !result.alias_of.empty());
    if (again) lexer.expected("each of stride=, offset= and of= once");
    if (key.text != "stride" && key.text != "offset" && (key.text != "of" || !may_alias))
      lexer.expected(may_alias ? "stride=, offset=, of= or '}'" : "stride=, offset= or '}'",
                     key.kind == TokenKind::word ? did_you_mean(key.text, keys) : "");
    lexer.advance();
    if (!lexer.at_symbol("=")) lexer.expected("'='");
    if (key.text == "of") {
      result.alias_begin = lexer.token().begin + 1;
      result.alias_of = lexer.take_path("=");
      continue;
    }
    lexer.advance();
    if (key.text == "stride")
      strides = parse_strides(lexer);
    else
      result.type.offset = parse_integer(lexer, "an offset");
    has_offset |= key.text == "offset";
  }
  lexer.take_close("}");
}

TypeText parse_type(TextLexer& lexer, bool may_alias) {
  TypeText result;
  const size_t begin = lexer.token().begin;
  result.type.dtype = parse_dtype(lexer);
  lexer.take_open("[");
  while (!lexer.at_symbol("]")) {
    result.type.sizes.push_back(parse_integer(lexer, "a size"));
    if (!lexer.at_symbol("]") && !lexer.take_symbol(",")) lexer.expected("',' or ']'");
  }
  lexer.take_close("]");
  std::optional<Sizes> strides;
  if (lexer.at_symbol("{")) parse_view(lexer, result, strides, may_alias);
  const std::string problem = type_problem(result.type.sizes, strides ? &*strides : nullptr, result.type.offset);
  if (!problem.empty()) lexer.fail_at(begin, fmt::format("expected a tensor within bounds: {}", problem));
  result.type.strides = strides ? *strides : contiguous_strides(result.type.sizes);
  return result;
}

DataSource parse_data_source(TextLexer& lexer) {
  const std::vector<std::string>& names = generator_names();
  const Token head = lexer.token();
  DataSource source;
  source.generator = std::string(head.text);
  if (std::find(names.begin(), names.end(), source.generator) == names.end())
    lexer.expected("a data source such as normal(1)", did_you_mean(source.generator, names));
  lexer.advance();
  lexer.take_open("(");
  while (!lexer.at_symbol(")")) {
    const size_t begin = lexer.token().begin;
    const bool negative = lexer.at_symbol("-");
    const Scalar number = parse_number(lexer, "a number");
    const int64_t* integer = std::get_if<int64_t>(&number);
    if (integer && std::abs(static_cast<double>(*integer)) > 0x1p53)
      lexer.fail_at(begin, "expected an integer within 2^53, which a double holds exactly");
    const double value = integer ? static_cast<double>(*integer) : std::get<double>(number);
    source.parameters.push_back(negative ? -std::abs(value) : value);  // no integer holds the sign of -0
    if (!lexer.at_symbol(")") && !lexer.take_symbol(",")) lexer.expected("',' or ')'");
  }
  const std::string problem = source_problem(source);
  if (!problem.empty()) lexer.fail_at(head.begin, "expected a data source: " + problem);
  lexer.take_close(")");
  return source;
}

}  // namespace faultline
