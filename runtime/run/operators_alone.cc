// Every name of the program is made an output once, to see what it holds.
#include "runtime/run/operators_alone.h"

#include <map>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/eager/interpreter.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/run/reference.h"

namespace faultline {

namespace {

using Values = std::map<std::string, Value>;

// What the names hold at the end of the first call.
Values values_of(const Subject& subject) {
  Program program = subject.test_case.program;
  std::vector<std::string> names;
  for (const Statement& statement : program.body)
    if (const auto* call = std::get_if<CallStatement>(&statement.value))
      names.insert(names.end(), call->results.begin(), call->results.end());
  program.returns = names;
  const CaseInputs data = copy_inputs(subject.inputs);
  std::map<std::string, Value> attributes;
  for (const auto& [name, tensor] : data.attributes) attributes[name] = {tensor};
  for (const auto& [name, scalar] : data.scalar_attributes) attributes[name] = to_value(scalar);
  EagerExecutor executor;
  EagerInterpreter interpreter(program, executor, attributes);
  Values values;
  const CallOutcome outcome = interpreter.run(argument_values(program, data.calls[0]));
  if (outcome.error) return {};
  for (const NamedValue& named : outcome.outputs) values[named.name] = named.value;
  for (const NamedValue& named : outcome.inputs_after) values[named.name] = named.value;
  return values;
}

// Its operands become attributes that hold bytes, read at the start; scalars stand in the call.
class Isolation {
 public:
  Isolation(const CallStatement& call, const Values& values) : values_(values) {
    CallStatement mine = call;
    for (Argument& argument : mine.arguments) replace(argument);
    for (auto& [name, argument] : mine.keywords) replace(argument);
    program_.name = "alone";
    program_.body.push_back({std::move(mine)});
    program_.returns = call.results;
  }

  std::optional<Program> program() && {
    if (!possible_ || program_.returns.empty()) return std::nullopt;
    return std::move(program_);
  }

 private:
  void replace(Argument& argument) {
    if (auto* list = std::get_if<ArgumentList>(&argument.value))
      for (Argument& element : *list) replace(element);
    const auto* name = std::get_if<ValueName>(&argument.value);
    if (name == nullptr) return;
    const auto found = values_.find(name->text);
    const Tensor* tensor = found == values_.end() ? nullptr : found->second.tensor();
    if (tensor == nullptr) {
      possible_ = false;
      return;
    }
    if (program_.attributes.contains(name->text)) return;
    Program::Attribute attribute;
    attribute.value = *tensor;
    attribute.type = tensor->type;
    program_.attributes[name->text] = attribute;
    program_.body.push_back({ReadAttribute{name->text, name->text}});
  }

  const Values& values_;
  Program program_;
  bool possible_ = true;
};

}  // namespace

std::vector<Case> operators_alone(const Subject& subject) {
  const Values values = values_of(subject);
  std::vector<Case> cases;
  for (const Statement& statement : subject.test_case.program.body) {
    const auto* call = std::get_if<CallStatement>(&statement.value);
    if (call == nullptr || schema_at(call->target).mutates()) continue;
    std::optional<Program> program = Isolation(*call, values).program();
    if (!program) continue;
    Case one = subject.test_case;
    one.program_path.clear();
    one.program = *std::move(program);
    one.program.calls.clear();
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace faultline
