// Program text and Python differ in the words for types, formats and strings, and in what a name may be.
#include "runtime/backends/emit/python_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "runtime/base/error.h"
#include "runtime/ir/program_text.h"
#include "runtime/ir/schema/schema.h"

namespace faultline {

namespace {

// Words of Python 3.11 to 3.14 that program text does not reserve, and the two modules' names.
constexpr std::array<std::string_view, 28> kPythonWords = {
    "as",      "assert", "async", "await",  "break",  "class", "continue", "del",    "elif",     "except",
    "finally", "for",    "from",  "global", "import", "in",    "is",       "lambda", "nonlocal", "pass",
    "raise",   "try",    "while", "with",   "yield",  "match", "case",     "torch"};

std::string value_name(const std::string& name) {
  return std::find(kPythonWords.begin(), kPythonWords.end(), name) != kPythonWords.end() ? name + "_" : name;
}

std::string string_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      quoted += fmt::format("\\{}", c);
    else if (byte < 0x20 || byte >= 0x7f)
      quoted += fmt::format("\\x{:02x}", byte);
    else
      quoted += c;
  }
  return quoted + "\"";
}

std::string word_text(const std::string& word) {
  if (word == "cpu" || word == "cuda") return fmt::format("torch.device(\"{}\")", word);
  return is_bare_keyword(word) ? "torch." + word : string_text(word);
}

std::string argument_text(const Argument& argument) {
  struct Visitor {
    std::string operator()(const NoneArgument&) const { return "None"; }
    std::string operator()(bool value) const { return value ? "True" : "False"; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return real_text(value); }
    std::string operator()(DType value) const { return std::string(python_dtype(value)); }
    std::string operator()(const Keyword& value) const { return word_text(value.text); }
    std::string operator()(const ValueName& value) const { return value_name(value.text); }
    std::string operator()(const ArgumentList& list) const {
      std::vector<std::string> texts;
      for (const Argument& element : list) texts.push_back(argument_text(element));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
  };
  return std::visit(Visitor{}, argument.value);
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), attributes_(python_attribute_names(program)) {}

  PythonProgram print() {
    PythonProgram result;
    result.entry = value_name(program_.name);
    result.has_state = !program_.attributes.empty();
    std::vector<std::string> parameters;
    if (result.has_state) parameters.emplace_back("self");
    for (const Parameter& parameter : program_.parameters) parameters.push_back(value_name(parameter.name));
    out_ = "import torch\nfrom math import inf, nan\n\n\n";
    line(fmt::format("def {}({}):", result.entry, fmt::join(parameters, ", ")));
    ++depth_;
    block(program_.body);
    std::vector<std::string> returns;
    for (const std::string& name : program_.returns) returns.push_back(value_name(name));
    line(fmt::format("return ({}{})", fmt::join(returns, ", "), returns.size() == 1 ? "," : ""));
    result.source = std::move(out_);
    return result;
  }

 private:
  void line(const std::string& text) { out_ += std::string(4 * depth_, ' ') + text + "\n"; }

  void block(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements)
      std::visit([this](const auto& mine) { print(mine); }, statement.value);
  }

  void print(const CallStatement& call) {
    const OpSchema& schema = schema_at(call.target);
    std::vector<std::string> arguments;
    for (const Argument& argument : call.arguments) arguments.push_back(argument_text(argument));
    for (const auto& [name, argument] : call.keywords) arguments.push_back(name + "=" + argument_text(argument));
    std::vector<std::string> results;
    for (const std::string& result : call.results) results.push_back(value_name(result));
    const bool is_list = schema.returns.size() == 1 && schema.returns[0].type.list;
    const std::string_view ends = results.empty() ? "" : results.size() == 1 && is_list ? ", = " : " = ";
    line(fmt::format("{}{}torch.ops.aten.{}.{}({})", fmt::join(results, ", "), ends, schema.name, schema.overload,
                     fmt::join(arguments, ", ")));
  }
  void print(const ItemStatement& item) {
    line(fmt::format("{} = {}.item()", value_name(item.result), value_name(item.tensor)));
  }
  void print(const ScalarStatement& scalar) {
    const auto operand = [&](size_t k) { return argument_text(scalar.operands[k]); };
    const std::string result = value_name(scalar.result);
    if (scalar.operands.size() == 2)
      line(fmt::format("{} = {} {} {}", result, operand(0), scalar.op, operand(1)));
    else
      line(fmt::format("{} = {} {}", result, scalar.op == "neg" ? "-" : scalar.op, operand(0)));
  }
  void print(const ReadAttribute& read) {
    line(fmt::format("{} = self.{}", value_name(read.result), attributes_.at(read.attribute)));
  }
  void print(const WriteAttribute& write) {
    line(fmt::format("self.{} = {}", attributes_.at(write.attribute), argument_text(write.value)));
  }
  void print(const IfStatement& branch) {
    line(fmt::format("if {}:", value_name(branch.condition)));
    indented(branch.then_branch);
    if (branch.else_branch.empty()) return;
    line("else:");
    indented(branch.else_branch);
  }
  void indented(const std::vector<Statement>& statements) {
    ++depth_;
    if (statements.empty()) line("pass");
    block(statements);
    --depth_;
  }

  const Program& program_;
  std::map<std::string, std::string> attributes_;
  std::string out_;
  size_t depth_ = 0;
};

void collect_written(const std::vector<Statement>& block, std::set<std::string>& names) {
  for (const Statement& statement : block) {
    if (const auto* write = std::get_if<WriteAttribute>(&statement.value)) names.insert(write->attribute);
    if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      collect_written(branch->then_branch, names);
      collect_written(branch->else_branch, names);
    }
  }
}

}  // namespace

std::map<std::string, std::string> python_attribute_names(const Program& program) {
  std::set<std::string> paths;
  for (const auto& [path, attribute] : program.attributes) paths.insert(path);
  collect_written(program.body, paths);
  std::map<std::string, std::string> names;
  std::set<std::string> taken;
  for (const std::string& path : paths) {
    std::string name = path;
    std::replace(name.begin(), name.end(), '.', '_');
    if (!is_identifier(name)) name = "_" + name;
    name = value_name(name);
    const std::string stem = name;
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}_{}", stem, number);
    names[path] = name;
  }
  return names;
}

std::string_view python_dtype(DType dtype) {
  constexpr std::array<std::string_view, kDTypeCount> kNames = {
      "torch.float64", "torch.float32", "torch.float16", "torch.bfloat16", "torch.float8_e4m3fn", "torch.float8_e5m2",
      "torch.int64",   "torch.int32",   "torch.int16",   "torch.int8",     "torch.uint8",         "torch.bool"};
  return kNames[static_cast<size_t>(dtype)];
}

PythonProgram python_program(const Program& program) { return Printer(program).print(); }

}  // namespace faultline
