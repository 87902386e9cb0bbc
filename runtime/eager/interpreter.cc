// A tree walk over the statements. A failure ends the walk and is handed up as data.
#include "runtime/eager/interpreter.h"

#include <fmt/format.h>

#include "runtime/base/error.h"
#include "runtime/eager/eager.h"
#include "runtime/eager/alias_names.h"
#include "runtime/eager/snapshot.h"
#include "runtime/ir/scalar_expression.h"

namespace faultline {
namespace {

EagerError raised(std::string type, std::string text) {
  return {EagerError::Kind::raised, std::move(type), std::move(text)};
}

std::optional<Scalar> as_scalar(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value.value)) return *truth;
  if (const auto* integer = std::get_if<int64_t>(&value.value)) return *integer;
  if (const auto* real = std::get_if<double>(&value.value)) return *real;
  return std::nullopt;
}

}  // namespace

static int statement_count(const Statement& statement) {
  const auto* branch = std::get_if<IfStatement>(&statement.value);
  return branch ? 1 + statement_count(branch->then_branch) + statement_count(branch->else_branch) : 1;
}

int statement_count(const std::vector<Statement>& block) {
  int count = 0;
  for (const Statement& statement : block) count += statement_count(statement);
  return count;
}

std::map<std::string, Value> attribute_values(const Program& program) {
  std::map<std::string, Value> values;
  for (const auto& [name, attribute] : program.attributes) {
    if (const auto* scalar = std::get_if<Scalar>(&attribute.value)) {
      values[name] = to_value(*scalar);
      continue;
    }
    const auto& tensor = std::get<Tensor>(attribute.value);
    FAULTLINE_CHECK(tensor.storage, name);
    values[name] = {tensor};
  }
  return values;
}

EagerInterpreter::EagerInterpreter(const Program& program, OpExecutor& executor,
                                   const std::map<std::string, Value>& attributes)
    : program_(program), executor_(executor) {
  Snapshot snapshot;
  for (const auto& [name, value] : attributes) attributes_[name] = std::make_shared<Value>(snapshot.copy(value));
}

CallOutcome EagerInterpreter::run(const ValueList& inputs) {
  FAULTLINE_CHECK(inputs.size() == program_.parameters.size(), program_.name);
  executor_.seed(calls_++);
  names_.clear();
  failed_statement_ = -1;
  std::vector<Object> objects;
  for (size_t i = 0; i < inputs.size(); ++i) {
    objects.push_back(std::make_shared<Value>(inputs[i]));
    names_[program_.parameters[i].name] = objects.back();
  }
  return outcome(objects, run_block(program_.body, 0));
}

EagerInterpreter::Failure EagerInterpreter::run_block(const std::vector<Statement>& block, int first_number) {
  int number = first_number;
  for (const Statement& statement : block) {
    if (Failure failure = run_statement(statement, number)) {
      if (failed_statement_ < 0) failed_statement_ = number;
      return failure;
    }
    number += statement_count(statement);
  }
  return std::nullopt;
}

EagerInterpreter::Failure EagerInterpreter::run_statement(const Statement& statement, int number) {
  if (const auto* call = std::get_if<CallStatement>(&statement.value)) return run_call(*call);
  if (const auto* item = std::get_if<ItemStatement>(&statement.value)) return run_item(*item);
  if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) return run_scalar(*scalar);
  if (const auto* branch = std::get_if<IfStatement>(&statement.value)) return run_if(*branch, number);
  if (const auto* read = std::get_if<ReadAttribute>(&statement.value)) {
    const auto found = attributes_.find(read->attribute);
    if (found == attributes_.end())
      return raised("AttributeError", fmt::format("the program has no attribute '{}'", read->attribute));
    names_[read->result] = found->second;
    return std::nullopt;
  }
  const auto& write = std::get<WriteAttribute>(statement.value);
  const auto* name = std::get_if<ValueName>(&write.value.value);
  attributes_[write.attribute] = name ? object(name->text) : std::make_shared<Value>(to_value(write.value));
  return std::nullopt;
}

EagerInterpreter::Failure EagerInterpreter::run_call(const CallStatement& call) {
  const OpSchema* schema = find_schema(call.target);
  if (schema == nullptr) schema = eager_schema(call.target);
  if (schema == nullptr) return eager_call(call.target, {}).error;
  ArgumentList bound;
  try {
    bound = bind_arguments(*schema, call.arguments, call.keywords);
  } catch (const UserError& error) {
    return raised("TypeError", error.what());
  }
  std::vector<Object> operands;
  ValueList arguments;
  for (const Argument& argument : bound) arguments.push_back(resolve(argument, operands));
  return bind_results(call, executor_.call(call.target, arguments), operands);
}

EagerInterpreter::Failure EagerInterpreter::bind_results(const CallStatement& call, OpResult result,
                                                         const std::vector<Object>& operands) {
  if (result.error) return std::move(result.error);
  for (auto& [operand, tensor] : result.changed) operands[static_cast<size_t>(operand)]->value = std::move(tensor);
  if (call.results.empty()) return std::nullopt;  // an expression statement: what it gives is dropped
  ValueList values = flattened(std::move(result.outputs));
  if (values.size() != call.results.size())
    return raised("ValueError", fmt::format("{} values to unpack into {} names", values.size(), call.results.size()));
  size_t tensor = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const int same = values[i].tensor() ? result.same_as[tensor++] : -1;
    names_[call.results[i]] =
        same >= 0 ? operands[static_cast<size_t>(same)] : std::make_shared<Value>(std::move(values[i]));
  }
  return std::nullopt;
}

EagerInterpreter::Failure EagerInterpreter::run_item(const ItemStatement& item) {
  OpResult result = executor_.call("aten.item.default", {*object(item.tensor)});
  if (!result.error) names_[item.result] = std::make_shared<Value>(std::move(result.outputs.at(0)));
  return std::move(result.error);
}

// A quotient by zero raises in Python as well; an integer beyond 64 bits would widen there, which programs cannot
// follow.
EagerInterpreter::Failure EagerInterpreter::run_scalar(const ScalarStatement& statement) {
  std::vector<Scalar> operands;
  for (const Argument& argument : statement.operands) operands.push_back(scalar(argument));
  const std::string& op = statement.op;
  const bool divides = op == "/" || op == "//" || op == "%";
  if (divides && as_real(operands.back()) == 0) return raised("ZeroDivisionError", "division by zero");
  try {
    names_[statement.result] = std::make_shared<Value>(to_value(evaluate_scalar(op, operands)));
  } catch (const UserError& error) {
    return EagerError{EagerError::Kind::unsupported, "", error.what()};
  }
  return std::nullopt;
}

EagerInterpreter::Failure EagerInterpreter::run_if(const IfStatement& branch, int number) {
  const bool taken = truth(scalar({ValueName{branch.condition}}));
  if (taken) return run_block(branch.then_branch, number + 1);
  return run_block(branch.else_branch, number + 1 + statement_count(branch.then_branch));
}

const EagerInterpreter::Object& EagerInterpreter::object(const std::string& name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) throw UserError(fmt::format("{}: '{}' is not defined", program_.name, name));
  return found->second;
}

Scalar EagerInterpreter::scalar(const Argument& argument) const {
  const auto* name = std::get_if<ValueName>(&argument.value);
  const std::optional<Scalar> value = as_scalar(name ? *object(name->text) : to_value(argument));
  if (!value) throw UserError(fmt::format("{}: '{}' is no scalar", program_.name, name ? name->text : "an operand"));
  return *value;
}

Value EagerInterpreter::resolve(const Argument& argument, std::vector<Object>& operands) const {
  if (const auto* name = std::get_if<ValueName>(&argument.value)) {
    const Object& found = object(name->text);
    if (found->tensor()) operands.push_back(found);
    return *found;
  }
  if (const auto* list = std::get_if<ArgumentList>(&argument.value)) {
    ValueList values;
    for (const Argument& element : *list) values.push_back(resolve(element, operands));
    return {std::move(values)};
  }
  return to_value(argument);
}

CallOutcome EagerInterpreter::outcome(const std::vector<Object>& inputs, Failure failure) const {
  CallOutcome result;
  Snapshot snapshot;
  AliasNames aliases(snapshot);
  for (size_t i = 0; i < inputs.size(); ++i)
    result.inputs_after.push_back(aliases.add("input", program_.parameters[i].name, *inputs[i]));
  for (const auto& [name, value] : attributes_)
    result.attributes_after.push_back(aliases.add("attribute", name, *value));
  result.error = std::move(failure);
  result.error_statement = failed_statement_;
  if (result.error) return result;
  for (const std::string& name : program_.returns) result.outputs.push_back(aliases.add("output", name, *object(name)));
  return result;
}

}  // namespace faultline
