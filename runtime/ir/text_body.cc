// Recursive descent over the statements of a body. Depth is bounded, because the text may be hostile.
#include "runtime/ir/text_body.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/text_types.h"

namespace faultline {

static constexpr int kDepthMax = 64;

std::string take_new_name(TextLexer& lexer, std::string_view what) {
  if (lexer.token().kind != TokenKind::word) lexer.expected(what);
  if (is_reserved_word(lexer.token().text)) lexer.expected(fmt::format("{}, which no reserved word can be", what));
  const std::string name(lexer.token().text);
  lexer.advance();
  return name;
}

void take_symbol(TextLexer& lexer, std::string_view symbol) {
  if (!lexer.take_symbol(symbol)) lexer.expected(fmt::format("'{}'", symbol));
}

void BodyParser::end_statement() {
  const bool at_end = lexer_.token().kind == TokenKind::end || lexer_.at_symbol("}");
  if (!at_end && !lexer_.at_separator()) lexer_.expected("';' or a new line");
  lexer_.skip_separators();
}

void BodyParser::define(const std::string& name, ValueKind kind, size_t begin) {
  if (!values_.define(name, kind)) lexer_.fail_at(begin, fmt::format("expected a new name, found '{}' again", name));
}

std::string BodyParser::take_value_name(std::string_view what) {
  const std::string name(lexer_.token().text);
  if (lexer_.token().kind != TokenKind::word || is_reserved_word(name)) lexer_.expected(what);
  if (!values_.find(name)) {
    if (values_.defined_elsewhere(name)) lexer_.expected(fmt::format("{} on every path to here", what));
    lexer_.expected(what, did_you_mean(name, values_.names()));
  }
  lexer_.advance();
  return name;
}

std::string BodyParser::take_scalar_name() {
  const size_t begin = lexer_.token().begin;
  std::string name = take_value_name("a defined scalar");
  if (*values_.find(name) == ValueKind::tensor)
    lexer_.fail_at(begin, fmt::format("expected a scalar, found the tensor '{}'; .item() reads its element", name));
  return name;
}

void BodyParser::parse(Program& program) {
  lexer_.skip_separators();
  while (!lexer_.at_word("return")) program.body.push_back(parse_statement(0));
  lexer_.advance();
  if (lexer_.token().kind != TokenKind::end && !lexer_.at_separator()) {
    do program.returns.push_back(take_value_name("a defined value"));
    while (lexer_.take_symbol(","));
  }
  end_statement();
}

Statement BodyParser::parse_statement(int depth) {
  if (lexer_.at_word("if")) return parse_if(depth);
  if (lexer_.token().kind != TokenKind::word) lexer_.expected("a statement or 'return'");
  Statement statement = lexer_.at_word("self") ? parse_attribute_write() : parse_assignment();
  end_statement();
  return statement;
}

Statement BodyParser::parse_if(int depth) {
  if (depth >= kDepthMax) lexer_.expected(fmt::format("at most {} nested 'if'", kDepthMax));
  lexer_.advance();
  IfStatement statement;
  statement.condition = take_scalar_name();
  const TextScope values = values_, attributes = attributes_;
  statement.then_branch = parse_block(depth + 1);
  const TextScope then_values = values_, then_attributes = attributes_;
  values_ = values;
  attributes_ = attributes;
  const bool on_new_line = lexer_.at_separator() && lexer_.token().text != ";";
  if (on_new_line) lexer_.skip_separators();
  const bool has_else = lexer_.take_word("else");
  if (has_else) statement.else_branch = parse_block(depth + 1);
  values_ = TextScope::join(then_values, values_);
  attributes_ = TextScope::join(then_attributes, attributes_);
  if (has_else || !on_new_line) end_statement();
  return {std::move(statement)};
}

std::vector<Statement> BodyParser::parse_block(int depth) {
  take_symbol(lexer_, "{");
  lexer_.skip_separators();
  std::vector<Statement> statements;
  while (!lexer_.take_symbol("}")) {
    if (lexer_.token().kind == TokenKind::end || lexer_.at_word("return")) lexer_.expected("a statement or '}'");
    statements.push_back(parse_statement(depth));
  }
  return statements;
}

Statement BodyParser::parse_attribute_write() {
  lexer_.advance();
  WriteAttribute write;
  write.attribute = lexer_.take_path(".");
  take_symbol(lexer_, "=");
  ValueKind kind = ValueKind::scalar;
  if (at_number(lexer_) || lexer_.at_word("True") || lexer_.at_word("False")) {
    write.value = parse_scalar_operand();
  } else {
    const std::string name = take_value_name("a defined value or a number");
    kind = *values_.find(name);
    write.value.value = ValueName{name};
  }
  attributes_.assign(write.attribute, kind);
  return {std::move(write)};
}

// The operators behind item(): such a call is read as the statement that it is.
static bool is_item(const CallStatement& call) {
  const bool reads = call.target == "aten._local_scalar_dense.default" || call.target == "aten.item.default";
  return reads && call.keywords.empty() && call.arguments.size() == 1 &&
         std::holds_alternative<ValueName>(call.arguments[0].value);
}

// A call without results, or "names = right-hand side".
Statement BodyParser::parse_assignment() {
  const size_t begin = lexer_.token().begin;
  const TextLexer before = lexer_;
  const std::string first(lexer_.token().text);
  lexer_.advance();
  if (lexer_.at_symbol(".")) {
    lexer_ = before;
    return {parse_op_call()};
  }
  lexer_ = before;
  std::vector<std::pair<std::string, size_t>> results;
  do {
    const size_t result_begin = lexer_.token().begin;
    results.emplace_back(take_new_name(lexer_, "a statement or 'return'"), result_begin);
  } while (lexer_.take_symbol(","));
  if (!lexer_.take_symbol("=")) lexer_.expected("'='");

  const TextLexer right = lexer_;
  const bool word = lexer_.token().kind == TokenKind::word;
  const bool attribute = lexer_.at_word("self");
  const std::string head(lexer_.token().text);
  lexer_.advance();
  const bool dotted = word && lexer_.at_symbol(".");
  lexer_ = right;
  if (results.size() == 1) {
    if (attribute) return parse_read(first, begin);
    if (dotted && values_.find(head)) {
      ItemStatement item{first, take_value_name("a defined tensor")};
      if (*values_.find(item.tensor) == ValueKind::scalar)
        lexer_.fail_at(right.token().begin, fmt::format("expected a tensor, found the scalar '{}'", item.tensor));
      take_symbol(lexer_, ".");
      if (!lexer_.take_word("item")) lexer_.expected("item() (ops are written aten.<name>(...))");
      lexer_.take_open("(");
      lexer_.take_close(")");
      define(first, ValueKind::scalar, begin);
      return {std::move(item)};
    }
    if (!dotted) return parse_scalar(first, begin);
  }
  CallStatement call = parse_op_call();
  if (results.size() == 1 && is_item(call)) {
    define(first, ValueKind::scalar, begin);
    return {ItemStatement{first, std::get<ValueName>(call.arguments[0].value).text}};
  }
  for (const auto& [name, result_begin] : results) {
    define(name, ValueKind::unknown, result_begin);
    call.results.push_back(name);
  }
  return {std::move(call)};
}

Statement BodyParser::parse_read(const std::string& result, size_t begin) {
  lexer_.advance();
  const size_t path_begin = lexer_.token().begin + 1;
  ReadAttribute read{result, lexer_.take_path(".")};
  const ValueKind* kind = attributes_.find(read.attribute);
  if (!kind)
    lexer_.fail_at(path_begin, fmt::format("expected an attribute with a value, found '{}'{}", read.attribute,
                                           did_you_mean(read.attribute, attributes_.names())));
  define(result, *kind, begin);
  return {std::move(read)};
}

Argument BodyParser::parse_scalar_operand() {
  Argument operand;
  if (at_number(lexer_) || lexer_.at_word("True") || lexer_.at_word("False"))
    std::visit([&](auto value) { operand.value = value; }, faultline::parse_scalar(lexer_, "a number"));
  else
    operand.value = ValueName{take_scalar_name()};
  return operand;
}

Statement BodyParser::parse_scalar(const std::string& result, size_t begin) {
  static constexpr std::array<std::string_view, 13> operators = {"+",  "-", "*",  "/",  "//", "%",  "<",
                                                                 "<=", ">", ">=", "==", "!=", "and"};
  ScalarStatement statement;
  statement.result = result;
  if (lexer_.take_word("not")) {
    statement.op = "not";
    statement.operands.push_back(parse_scalar_operand());
  } else {
    statement.operands.push_back(parse_scalar_operand());
    statement.op = std::string(lexer_.token().text);
    const bool known = std::find(operators.begin(), operators.end(), statement.op) != operators.end();
    if (!known && statement.op != "or") lexer_.expected("an operator (+ - * / // % < <= > >= == != and or)");
    lexer_.advance();
    statement.operands.push_back(parse_scalar_operand());
  }
  define(result, ValueKind::scalar, begin);
  return {std::move(statement)};
}

// "aten.clone" and "aten.clone.default" are the same op.
std::string BodyParser::parse_target() {
  std::string target;
  int parts = 0;
  do {
    const bool is_name = lexer_.token().kind == TokenKind::word;
    if (!is_name) lexer_.expected("an op such as aten.add.Tensor");
    target += (parts ? "." : "") + std::string(lexer_.token().text);
    lexer_.advance();
    ++parts;
  } while (parts < 3 && lexer_.take_symbol("."));
  if (parts == 1) lexer_.expected(fmt::format("an op such as aten.{}(...)", target));
  return parts == 2 ? target + ".default" : target;
}

CallStatement BodyParser::parse_op_call() {
  CallStatement call;
  if (lexer_.token().kind == TokenKind::word && values_.find(std::string(lexer_.token().text)))
    lexer_.expected("an op such as aten.add.Tensor");
  call.target = parse_target();
  lexer_.take_open("(");
  while (!lexer_.at_symbol(")")) {
    const TextLexer before = lexer_;
    const std::string name(lexer_.token().text);
    const bool word = lexer_.token().kind == TokenKind::word;
    lexer_.advance();
    if (word && lexer_.take_symbol("=")) {
      for (const auto& [other, argument] : call.keywords)
        if (other == name)
          lexer_.fail_at(before.token().begin, fmt::format("expected each keyword once, found '{}' again", name));
      call.keywords.emplace_back(name, parse_argument(0));
    } else {
      lexer_ = before;
      if (!call.keywords.empty()) lexer_.expected("a keyword argument after a keyword argument");
      call.arguments.push_back(parse_argument(0));
    }
    if (!lexer_.at_symbol(")") && !lexer_.take_symbol(",")) lexer_.expected("',' or ')'");
  }
  lexer_.take_close(")");
  return call;
}

Argument BodyParser::parse_argument(int depth) {
  if (at_number(lexer_) || lexer_.at_word("True") || lexer_.at_word("False")) return parse_scalar_operand();
  if (lexer_.take_word("None")) return {NoneArgument{}};
  if (lexer_.token().kind == TokenKind::string) {
    Argument argument{Keyword{lexer_.unquoted()}};
    lexer_.advance();
    return argument;
  }
  if (lexer_.at_symbol("[")) {
    if (depth >= kDepthMax) lexer_.expected(fmt::format("at most {} nested lists", kDepthMax));
    ArgumentList list;
    lexer_.take_open("[");
    while (!lexer_.at_symbol("]")) {
      list.push_back(parse_argument(depth + 1));
      if (!lexer_.at_symbol("]") && !lexer_.take_symbol(",")) lexer_.expected("',' or ']'");
    }
    lexer_.take_close("]");
    return {std::move(list)};
  }
  const std::string_view word = lexer_.token().text;
  if (lexer_.token().kind == TokenKind::word && is_bare_keyword(word)) {
    Argument argument{Keyword{std::string(word)}};
    lexer_.advance();
    return argument;
  }
  if (const std::optional<DType> dtype = dtype_from_name(word)) {
    lexer_.advance();
    return {*dtype};
  }
  return {ValueName{take_value_name("a defined value or a constant")}};
}

}  // namespace faultline
