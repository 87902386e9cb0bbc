// The statements between "def ...:" and "return": names, kinds and scopes are checked as they are read.
#pragma once

#include <string>
#include <vector>

#include "runtime/ir/program.h"
#include "runtime/ir/text_lexer.h"
#include "runtime/ir/text_scope.h"

namespace faultline {

class BodyParser {
 public:
  // `values` holds the parameters, `attributes` what the program starts with.
  BodyParser(TextLexer& lexer, TextScope values, TextScope attributes)
      : lexer_(lexer), values_(std::move(values)), attributes_(std::move(attributes)) {}

  // Statements up to and with "return".
  void parse(Program& program);

 private:
  void end_statement();
  void define(const std::string& name, ValueKind kind, size_t begin);
  std::string take_value_name(std::string_view what);
  std::string take_scalar_name();

  Statement parse_statement(int depth);
  Statement parse_if(int depth);
  std::vector<Statement> parse_block(int depth);
  Statement parse_attribute_write();
  Statement parse_assignment();
  Statement parse_read(const std::string& result, size_t begin);
  Statement parse_scalar(const std::string& result, size_t begin);
  Argument parse_scalar_operand();
  CallStatement parse_op_call();
  std::string parse_target();
  Argument parse_argument(int depth);

  TextLexer& lexer_;
  TextScope values_, attributes_;
};

// A word that may name something new: an identifier, not reserved. Throws at the current token, else moves past it.
std::string take_new_name(TextLexer& lexer, std::string_view what);
void take_symbol(TextLexer& lexer, std::string_view symbol);

}  // namespace faultline
