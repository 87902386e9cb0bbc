// Program text outside the body: attributes, the header with its parameters, and the calls. A tensor of an aliasing
// group may be larger than the owner of the storage; the storage holds the largest.
#include <algorithm>

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/text_body.h"
#include "runtime/ir/text_types.h"

namespace faultline {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name) : lexer_(text, file_name) {}

  Program parse() {
    lexer_.skip_separators();
    while (lexer_.at_word("self")) parse_attribute();
    parse_header();
    BodyParser(lexer_, values_, attributes_).parse(program_);
    while (lexer_.token().kind != TokenKind::end) parse_call();
    return std::move(program_);
  }

 private:
  void parse_attribute();
  void parse_attribute_tensor(Program::Attribute& attribute);
  void parse_header();
  void parse_parameter();
  Scalar parse_scalar_of(ScalarType type);
  void parse_call();
  void parse_call_input(CallSpec& call);

  TextLexer lexer_;
  Program program_;
  TextScope values_, attributes_;
};

std::string attribute_owner_problem(const Program& program, const TypeText& type) {
  const auto owner = program.attributes.find(type.alias_of);
  if (owner == program.attributes.end()) {
    std::vector<std::string> names;
    for (const auto& [name, attribute] : program.attributes) names.push_back(name);
    return fmt::format("expected an attribute above, found '{}'{}", type.alias_of, did_you_mean(type.alias_of, names));
  }
  const Program::Attribute& attribute = owner->second;
  if (!std::holds_alternative<Tensor>(attribute.value))
    return fmt::format("expected a tensor, found '{}'", type.alias_of);
  if (!attribute.alias_of.empty())
    return fmt::format("expected the owner '{}', found its alias '{}'", attribute.alias_of, type.alias_of);
  if (attribute.type.dtype != type.type.dtype)
    return fmt::format("expected an owner of type {}, found {}", name(type.type.dtype), name(attribute.type.dtype));
  const auto& storage = std::get<Tensor>(attribute.value).storage;
  const size_t needed = static_cast<size_t>(storage_elements(type.type) * byte_size(type.type.dtype));
  if (storage && storage->size() < needed)
    return fmt::format("expected {} bytes in '{}', found {}", needed, type.alias_of, storage->size());
  return "";
}

std::string parameter_owner_problem(const Program& program, const TypeText& type) {
  std::vector<std::string> names;
  for (const Parameter& parameter : program.parameters) {
    names.push_back(parameter.name);
    if (parameter.name != type.alias_of) continue;
    if (!parameter.tensor) return fmt::format("expected a tensor, found '{}'", type.alias_of);
    if (!parameter.alias_of.empty())
      return fmt::format("expected the owner '{}', found its alias '{}'", parameter.alias_of, type.alias_of);
    if (parameter.tensor->dtype != type.type.dtype)
      return fmt::format("expected an owner of type {}, found {}", name(type.type.dtype),
                         name(parameter.tensor->dtype));
    return "";
  }
  return fmt::format("expected a parameter above, found '{}'{}", type.alias_of, did_you_mean(type.alias_of, names));
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// self.scale = tensor f32[4] = normal(3)
void Parser::parse_attribute() {
  lexer_.advance();
  const size_t begin = lexer_.token().begin + 1;
  const std::string name = lexer_.take_path(".");
  take_symbol(lexer_, "=");
  Program::Attribute attribute;
  const bool is_tensor = lexer_.take_word("tensor");
  if (is_tensor)
    parse_attribute_tensor(attribute);
  else
    attribute.value = parse_scalar(lexer_, "'tensor' or a scalar");
  if (!attributes_.define(name, is_tensor ? ValueKind::tensor : ValueKind::scalar))
    lexer_.fail_at(begin, fmt::format("expected a new attribute, found '{}' again", name));
  program_.attributes.emplace(name, std::move(attribute));
  if (!lexer_.at_separator()) lexer_.expected("';' or a new line");
  lexer_.skip_separators();
}

void Parser::parse_attribute_tensor(Program::Attribute& attribute) {
  const TypeText text = parse_type(lexer_, true);
  attribute.type = text.type;
  attribute.alias_of = text.alias_of;
  Tensor tensor{text.type, nullptr};
  if (!text.alias_of.empty()) {
    const std::string problem = attribute_owner_problem(program_, text);
    if (!problem.empty()) lexer_.fail_at(text.alias_begin, problem);
    tensor.storage = std::get<Tensor>(program_.attributes.at(text.alias_of).value).storage;
  } else if (lexer_.take_symbol("=")) {
    if (lexer_.take_word("hex")) {
      lexer_.take_open("(");
      if (lexer_.token().kind != TokenKind::string) lexer_.expected("the bytes as \"00ff...\"");
      const std::string digits = lexer_.unquoted();
      const bool all_digits = std::all_of(digits.begin(), digits.end(), [](char c) { return hex_value(c) >= 0; });
      if (digits.size() % 2 || !all_digits) lexer_.expected("pairs of lower-case hexadecimal digits");
      const auto needed = static_cast<size_t>(storage_elements(text.type) * byte_size(text.type.dtype));
      if (digits.size() / 2 < needed)
        lexer_.fail_at(lexer_.token().begin,
                       fmt::format("expected at least {} bytes, found {}", needed, digits.size() / 2));
      tensor.storage = std::make_shared<std::vector<std::byte>>(digits.size() / 2);
      for (size_t i = 0; i < digits.size(); i += 2)
        (*tensor.storage)[i / 2] = static_cast<std::byte>(hex_value(digits[i]) * 16 + hex_value(digits[i + 1]));
      lexer_.advance();
      lexer_.take_close(")");
    } else {
      attribute.data = parse_data_source(lexer_);
    }
  }
  attribute.value = std::move(tensor);
}

void Parser::parse_header() {
  if (!lexer_.take_word("def")) lexer_.expected("'self.' or 'def'");
  program_.name = take_new_name(lexer_, "the name of the program");
  lexer_.take_open("(");
  while (!lexer_.at_symbol(")")) {
    parse_parameter();
    if (!lexer_.at_symbol(")") && !lexer_.take_symbol(",")) lexer_.expected("',' or ')'");
  }
  lexer_.take_close(")");
  take_symbol(lexer_, ":");
}

void Parser::parse_parameter() {
  const size_t begin = lexer_.token().begin;
  Parameter parameter;
  parameter.name = take_new_name(lexer_, "a parameter's name");
  take_symbol(lexer_, ":");
  const TextLexer at_type = lexer_;
  const std::string word(lexer_.token().text);
  lexer_.advance();
  const bool is_tensor = lexer_.at_symbol("[");
  if (!is_tensor && (word == "int" || word == "float" || word == "bool")) {
    parameter.scalar = word == "int" ? ScalarType::integer : word == "float" ? ScalarType::real : ScalarType::boolean;
    if (lexer_.take_symbol("=")) parameter.default_scalar = parse_scalar_of(*parameter.scalar);
  } else {
    lexer_ = at_type;
    const TypeText text = parse_type(lexer_, true);
    parameter.tensor = text.type;
    parameter.alias_of = text.alias_of;
    const std::string problem = text.alias_of.empty() ? "" : parameter_owner_problem(program_, text);
    if (!problem.empty()) lexer_.fail_at(text.alias_begin, problem);
  }
  if (!values_.define(parameter.name, is_tensor ? ValueKind::tensor : ValueKind::scalar))
    lexer_.fail_at(begin, fmt::format("expected a new name, found '{}' again", parameter.name));
  program_.parameters.push_back(std::move(parameter));
}

// An integer stands for a float, as in Python; nothing else is converted.
Scalar Parser::parse_scalar_of(ScalarType type) {
  const size_t begin = lexer_.token().begin;
  const Scalar scalar = parse_scalar(lexer_, "a scalar");
  if (type == ScalarType::boolean && !std::holds_alternative<bool>(scalar))
    lexer_.fail_at(begin, "expected True or False");
  if (type == ScalarType::integer && !std::holds_alternative<int64_t>(scalar))
    lexer_.fail_at(begin, "expected an integer");
  if (type != ScalarType::real) return scalar;
  if (std::holds_alternative<bool>(scalar)) lexer_.fail_at(begin, "expected a number");
  const int64_t* integer = std::get_if<int64_t>(&scalar);
  return integer ? static_cast<double>(*integer) : std::get<double>(scalar);
}

// call f(x: f32[6,8] = address(), n = 4)
void Parser::parse_call() {
  if (!lexer_.take_word("call")) lexer_.expected("'call' or the end of the text");
  if (lexer_.token().text != program_.name) lexer_.expected(fmt::format("'{}'", program_.name));
  lexer_.advance();
  CallSpec call;
  lexer_.take_open("(");
  while (!lexer_.at_symbol(")")) {
    parse_call_input(call);
    if (!lexer_.at_symbol(")") && !lexer_.take_symbol(",")) lexer_.expected("',' or ')'");
  }
  lexer_.take_close(")");
  if (lexer_.token().kind != TokenKind::end && !lexer_.at_separator()) lexer_.expected("';' or a new line");
  lexer_.skip_separators();
  program_.calls.push_back(std::move(call));
}

void Parser::parse_call_input(CallSpec& call) {
  const std::string name(lexer_.token().text);
  const auto parameter = std::find_if(program_.parameters.begin(), program_.parameters.end(),
                                      [&](const Parameter& candidate) { return candidate.name == name; });
  if (parameter == program_.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& candidate : program_.parameters) names.push_back(candidate.name);
    lexer_.expected("the name of a parameter", did_you_mean(name, names));
  }
  if (call.inputs.count(name)) lexer_.expected("each parameter once");
  lexer_.advance();
  CallInput input;
  if (parameter->scalar) {
    take_symbol(lexer_, "=");
    input.scalar = parse_scalar_of(*parameter->scalar);
  } else {
    if (lexer_.take_symbol(":"))
      input.tensor = parse_type(lexer_, false).type;
    else if (!lexer_.at_symbol("="))
      lexer_.expected("':' or '='");
    if (lexer_.at_symbol("=") && !parameter->alias_of.empty())
      lexer_.expected(fmt::format("no data for '{}', whose storage is that of '{}'", name, parameter->alias_of));
    if (lexer_.take_symbol("=")) input.data = parse_data_source(lexer_);
  }
  call.inputs.emplace(name, std::move(input));
}

}  // namespace

Program parse_program(std::string_view text, std::string_view file_name) { return Parser(text, file_name).parse(); }

}  // namespace faultline
