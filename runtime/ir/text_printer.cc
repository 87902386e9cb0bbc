// Programs as text. One writer serves both forms: the separator and the indentation are all that differ.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/ir/program_text.h"

namespace faultline {

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  std::string text = fmt::format("{}", value);
  const bool plain = text.find_first_not_of("-0123456789") == std::string::npos;
  return plain ? text + ".0" : text;
}

static std::string keyword_text(const std::string& text) {
  if (is_bare_keyword(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += fmt::format("\\{}", c);
    else if (c >= ' ' && c <= '~')
      quoted += c;
    else
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return quoted + "\"";
}

static std::string argument_list_text(const ArgumentList& list) {
  std::string text;
  for (const Argument& argument : list) text += (text.empty() ? "" : ", ") + to_text(argument);
  return text;
}

std::string to_text(const Argument& argument) {
  struct Visitor {
    std::string operator()(const NoneArgument&) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return real_text(value); }
    std::string operator()(DType value) const { return std::string(name(value)); }
    std::string operator()(const Keyword& value) const { return keyword_text(value.text); }
    std::string operator()(const ValueName& value) const { return value.text; }
    std::string operator()(const ArgumentList& list) const { return "[" + argument_list_text(list) + "]"; }
  };
  return std::visit(Visitor{}, argument.value);
}

std::string to_text(const Scalar& scalar) {
  return std::visit([](auto value) { return to_text(Argument{value}); }, scalar);
}

// Parameters are numbers without a type: whole ones print as integers ("normal(3)").
std::string to_text(const DataSource& source) {
  std::string text;
  for (const double value : source.parameters) {
    const bool whole = std::abs(value) <= 0x1p53 && value == std::floor(value) && !(value == 0 && std::signbit(value));
    text += text.empty() ? "" : ",";
    text += whole ? fmt::format("{}", static_cast<int64_t>(value)) : real_text(value);
  }
  return fmt::format("{}({})", source.generator, text);
}

// The type with the owner of its storage: "f16[4]{offset=2 of=a}".
static std::string type_text(const TensorType& type, const std::string& alias_of) {
  std::string text = to_text(type);
  if (alias_of.empty()) return text;
  if (text.back() == '}') return text.substr(0, text.size() - 1) + " of=" + alias_of + "}";
  return text + "{of=" + alias_of + "}";
}

namespace {

// Counts `number` down to the statement that is meant, or gives null.
const Statement* statement_at(const std::vector<Statement>& block, int& number) {
  for (const Statement& statement : block) {
    if (number-- == 0) return &statement;
    const auto* branch = std::get_if<IfStatement>(&statement.value);
    if (branch == nullptr) continue;
    for (const auto* inner : {&branch->then_branch, &branch->else_branch})
      if (const Statement* found = statement_at(*inner, number)) return found;
  }
  return nullptr;
}

class Printer {
 public:
  explicit Printer(bool multi_line) : multi_line_(multi_line) {}

  std::string print(const Program& program) {
    for (const bool aliases : {false, true})  // an owner stands before those that share its storage
      for (const auto& [name, attribute] : program.attributes)
        if (attribute.alias_of.empty() != aliases) line(attribute_text(name, attribute));
    std::string header = "def " + program.name + "(";
    for (size_t i = 0; i < program.parameters.size(); ++i)
      header += (i ? ", " : "") + parameter_text(program.parameters[i]);
    line(header + "):");
    after_colon_ = true;
    ++depth_;
    for (const Statement& statement : program.body) print_statement(statement);
    line(program.returns.empty() ? "return" : fmt::format("return {}", fmt::join(program.returns, ", ")));
    --depth_;
    for (const CallSpec& call : program.calls) line(call_text(program, call));
    return multi_line_ ? out_ + "\n" : out_;
  }

  static std::string simple_text(const Statement& statement) {  // of an `if` its head
    struct Visitor {
      std::string operator()(const CallStatement& call) const {
        std::string text = call.results.empty() ? "" : fmt::format("{} = ", fmt::join(call.results, ", "));
        text += call.target + "(" + argument_list_text(call.arguments);
        bool first = call.arguments.empty();
        for (const auto& [name, argument] : call.keywords) {
          text += fmt::format("{}{} = {}", first ? "" : ", ", name, to_text(argument));
          first = false;
        }
        return text + ")";
      }
      std::string operator()(const ItemStatement& item) const { return item.result + " = " + item.tensor + ".item()"; }
      std::string operator()(const ScalarStatement& scalar) const {
        if (scalar.operands.size() == 1)
          return fmt::format("{} = {} {}", scalar.result, scalar.op, to_text(scalar.operands[0]));
        return fmt::format("{} = {} {} {}", scalar.result, to_text(scalar.operands[0]), scalar.op,
                           to_text(scalar.operands[1]));
      }
      std::string operator()(const ReadAttribute& read) const { return read.result + " = self." + read.attribute; }
      std::string operator()(const WriteAttribute& write) const {
        return "self." + write.attribute + " = " + to_text(write.value);
      }
      std::string operator()(const IfStatement& branch) const { return "if " + branch.condition; }
    };
    return std::visit(Visitor{}, statement.value);
  }

 private:
  void line(const std::string& text) {
    if (multi_line_)
      out_ += (out_.empty() ? "" : "\n") + std::string(2 * depth_, ' ');
    else if (after_colon_ || after_brace_)
      out_ += " ";
    else if (!out_.empty())
      out_ += "; ";
    after_colon_ = after_brace_ = false;
    out_ += text;
  }

  void block(const std::vector<Statement>& statements) {
    after_brace_ = true;
    ++depth_;
    for (const Statement& statement : statements) print_statement(statement);
    --depth_;
    after_brace_ = true;
    line("}");
  }

  void print_statement(const Statement& statement) {
    const auto* branch = std::get_if<IfStatement>(&statement.value);
    if (!branch) return line(simple_text(statement));
    line(simple_text(statement) + " {");
    block(branch->then_branch);
    if (branch->else_branch.empty()) return;
    out_ += " else {";
    block(branch->else_branch);
  }

  static std::string attribute_text(const std::string& name, const Program::Attribute& attribute) {
    const std::string left = "self." + name + " = ";
    if (const Scalar* scalar = std::get_if<Scalar>(&attribute.value)) return left + to_text(*scalar);
    std::string text = left + "tensor " + type_text(attribute.type, attribute.alias_of);
    if (!attribute.alias_of.empty()) return text;
    const auto& storage = std::get<Tensor>(attribute.value).storage;
    if (!storage) return attribute.data.generator.empty() ? text : text + " = " + to_text(attribute.data);
    text += " = hex(\"";
    static constexpr char digits[] = "0123456789abcdef";
    for (const std::byte byte : *storage) {
      text += digits[static_cast<int>(byte) >> 4];
      text += digits[static_cast<int>(byte) & 15];
    }
    return text + "\")";
  }

  static std::string parameter_text(const Parameter& parameter) {
    static constexpr std::string_view scalar_names[] = {"int", "float", "bool"};
    std::string text = parameter.name + ": ";
    if (parameter.tensor) return text + type_text(*parameter.tensor, parameter.alias_of);
    text += scalar_names[static_cast<int>(*parameter.scalar)];
    return parameter.default_scalar ? text + " = " + to_text(*parameter.default_scalar) : text;
  }

  static std::string call_text(const Program& program, const CallSpec& call) {
    std::string inputs;
    for (const auto& [name, input] : call.inputs) {
      inputs += (inputs.empty() ? "" : ", ") + name;
      if (input.tensor) inputs += ": " + to_text(*input.tensor);
      if (input.scalar)
        inputs += " = " + to_text(*input.scalar);
      else if (!input.data.generator.empty())
        inputs += " = " + to_text(input.data);
    }
    return "call " + program.name + "(" + inputs + ")";
  }

  bool multi_line_;
  bool after_colon_ = false, after_brace_ = false;
  size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::string statement_text(const Program& program, int number) {
  const Statement* statement = statement_at(program.body, number);
  return statement != nullptr ? Printer::simple_text(*statement) : "";
}

std::string to_text(const Program& program) { return Printer(true).print(program); }
std::string to_line(const Program& program) { return Printer(false).print(program); }

}  // namespace faultline
