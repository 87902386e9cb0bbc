// Which names a statement uses decides what must come in from outside when others are taken away.
#include "reduce/program_edit.h"

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/ir/tensor_bits.h"
#include "runtime/numerics/format.h"
#include "runtime/run/reference.h"

namespace faultline {

namespace {

constexpr size_t kValuesMax = 512;  // that are written into a program as its data

void collect_argument(const Argument& argument, std::set<std::string>& used) {
  if (const auto* value = std::get_if<ValueName>(&argument.value)) used.insert(value->text);
  if (const auto* list = std::get_if<ArgumentList>(&argument.value))
    for (const Argument& element : *list) collect_argument(element, used);
}

void collect_block(const std::vector<Statement>& block, std::set<std::string>& used, std::set<std::string>& made) {
  for (const Statement& statement : block) {
    std::set<std::string> mine;
    collect_names(statement, mine, made);
    used.insert(mine.begin(), mine.end());
  }
}

void collect(const IfStatement& branch, std::set<std::string>& used, std::set<std::string>& made) {
  used.insert(branch.condition);
  std::set<std::string> first, second, inner;
  collect_block(branch.then_branch, inner, first);
  collect_block(branch.else_branch, inner, second);
  for (const std::string& name : inner)
    if (!first.contains(name) && !second.contains(name)) used.insert(name);
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::inserter(made, made.end()));
}

void collect_attributes(const std::vector<Statement>& block, std::set<std::string>& paths) {
  for (const Statement& statement : block) {
    if (const auto* read = std::get_if<ReadAttribute>(&statement.value)) paths.insert(read->attribute);
    if (const auto* write = std::get_if<WriteAttribute>(&statement.value)) paths.insert(write->attribute);
    if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      collect_attributes(branch->then_branch, paths);
      collect_attributes(branch->else_branch, paths);
    }
  }
}

bool is_scalar_made(const Program& program, const Statement& statement) {
  if (const auto* read = std::get_if<ReadAttribute>(&statement.value)) {
    const auto found = program.attributes.find(read->attribute);
    return found != program.attributes.end() && std::holds_alternative<Scalar>(found->second.value);
  }
  return std::holds_alternative<ItemStatement>(statement.value) ||
         std::holds_alternative<ScalarStatement>(statement.value);
}

Parameter parameter_of(const std::string& name, const MadeValue& made) {
  Parameter parameter;
  parameter.name = name;
  if (!made.is_scalar) {
    parameter.tensor = made.type;
    return parameter;
  }
  const double value = made.values.empty() ? 0 : made.values.front();
  if (made.type.dtype == DType::boolean) {
    parameter.scalar = ScalarType::boolean;
    parameter.default_scalar = Scalar{value != 0};
  } else if (is_float(made.type.dtype)) {
    parameter.scalar = ScalarType::real;
    parameter.default_scalar = Scalar{value};
  } else {
    parameter.scalar = ScalarType::integer;
    parameter.default_scalar = Scalar{static_cast<int64_t>(value)};
  }
  return parameter;
}

void add_parameter(const std::string& name, const MadeValue& made, bool with_data, Program& program) {
  program.parameters.push_back(parameter_of(name, made));
  if (!with_data || made.is_scalar || made.values.empty()) return;
  if (program.calls.empty()) program.calls.emplace_back();
  for (CallSpec& call : program.calls) call.inputs[name].data = {"values", made.values};
}

// Parameters that nothing uses, but for owners of storage; their inputs; state that nothing touches.
void drop_unused(Program& program) {
  std::set<std::string> used(program.returns.begin(), program.returns.end()), made, paths;
  collect_block(program.body, used, made);
  for (const Parameter& parameter : program.parameters)
    if (used.contains(parameter.name) && !parameter.alias_of.empty()) used.insert(parameter.alias_of);
  std::erase_if(program.parameters, [&](const Parameter& parameter) { return !used.contains(parameter.name); });
  for (CallSpec& call : program.calls)
    std::erase_if(call.inputs, [&](const auto& input) { return !used.contains(input.first); });
  if (program.calls.size() == 1 && program.calls[0].inputs.empty()) program.calls.clear();
  collect_attributes(program.body, paths);
  std::set<std::string> owners;
  for (const auto& [path, attribute] : program.attributes)
    if (paths.contains(path)) owners.insert(attribute.alias_of);
  std::erase_if(program.attributes,
                [&](const auto& entry) { return !paths.contains(entry.first) && !owners.contains(entry.first); });
}

// What the kept statements make and none of them uses; and what was returned of the rest.
std::vector<std::string> visible(const Program& original, const std::set<std::string>& defined,
                                 const std::set<std::string>& used, const std::vector<std::string>& made_in_order) {
  std::vector<std::string> returns;
  for (const std::string& name : original.returns)
    if (defined.contains(name)) returns.push_back(name);
  for (const std::string& name : made_in_order)
    if (!used.contains(name) && std::find(returns.begin(), returns.end(), name) == returns.end())
      returns.push_back(name);
  return returns;
}

}  // namespace

void collect_names(const Statement& statement, std::set<std::string>& used, std::set<std::string>& made) {
  if (const auto* call = std::get_if<CallStatement>(&statement.value)) {
    for (const Argument& argument : call->arguments) collect_argument(argument, used);
    for (const auto& [name, argument] : call->keywords) collect_argument(argument, used);
    made.insert(call->results.begin(), call->results.end());
  } else if (const auto* item = std::get_if<ItemStatement>(&statement.value)) {
    used.insert(item->tensor);
    made.insert(item->result);
  } else if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
    for (const Argument& argument : scalar->operands) collect_argument(argument, used);
    made.insert(scalar->result);
  } else if (const auto* read = std::get_if<ReadAttribute>(&statement.value)) {
    made.insert(read->result);
  } else if (const auto* write = std::get_if<WriteAttribute>(&statement.value)) {
    collect_argument(write->value, used);
  } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
    collect(*branch, used, made);
  }
}

MadeValues made_values(const Program& program, uint64_t seed) {
  Program shown = program;
  std::set<std::string> scalars, names;
  for (const Statement& statement : program.body) {
    std::set<std::string> used, made;
    collect_names(statement, used, made);
    if (is_scalar_made(program, statement)) scalars.insert(made.begin(), made.end());
    names.insert(made.begin(), made.end());
  }
  shown.returns.assign(names.begin(), names.end());
  if (shown.calls.size() > 1) shown.calls.resize(1);
  MadeValues values;
  try {
    for (const TensorEvidence& tensor : eager_reference(shown, make_inputs(shown, seed)).tensors) {
      if (tensor.role != TensorRole::output) continue;
      MadeValue made{tensor.eager_type, {}, scalars.contains(tensor.name)};
      const bool plain = tensor.eager_type == contiguous_type(made.type.dtype, made.type.sizes);
      if (plain && tensor.eager.size() <= kValuesMax)
        for (const uint64_t bits : tensor.eager) made.values.push_back(decode(host_format(made.type.dtype), bits));
      values[tensor.name] = std::move(made);
    }
  } catch (const UserError&) {
    return {};
  }
  return values;
}

std::optional<Program> keep_statements(const Program& program, const std::vector<bool>& kept, const MadeValues& made,
                                       bool with_data) {
  Program out = program;
  out.body.clear();
  std::set<std::string> defined, used;
  std::vector<std::string> made_in_order;
  for (const Parameter& parameter : program.parameters) defined.insert(parameter.name);
  for (size_t s = 0; s < program.body.size(); ++s) {
    if (!kept[s]) continue;
    std::set<std::string> mine, results;
    collect_names(program.body[s], mine, results);
    for (const std::string& name : mine) {
      if (!defined.insert(name).second) continue;
      const auto found = made.find(name);
      if (found == made.end()) return std::nullopt;
      add_parameter(name, found->second, with_data, out);
    }
    used.insert(mine.begin(), mine.end());
    defined.insert(results.begin(), results.end());
    made_in_order.insert(made_in_order.end(), results.begin(), results.end());
    out.body.push_back(program.body[s]);
  }
  out.returns = visible(program, {made_in_order.begin(), made_in_order.end()}, used, made_in_order);
  drop_unused(out);
  return out;
}

// In place, of state, or with a condition.
static bool has_effect(const Statement& statement) {
  const auto* call = std::get_if<CallStatement>(&statement.value);
  if (call == nullptr) return !std::holds_alternative<ScalarStatement>(statement.value);
  return call->target.substr(0, call->target.rfind('.')).ends_with('_');
}

bool is_all_live(const Program& program) {
  std::set<std::string> live(program.returns.begin(), program.returns.end());
  for (auto statement = program.body.rbegin(); statement != program.body.rend(); ++statement) {
    std::set<std::string> used, made;
    collect_names(*statement, used, made);
    const bool is_used = std::any_of(made.begin(), made.end(), [&](const auto& name) { return live.contains(name); });
    if (!is_used && !has_effect(*statement)) return false;
    live.insert(used.begin(), used.end());
  }
  return true;
}

Program with_all_returned(const Program& program) {
  Program out = program;
  for (const Statement& statement : program.body) {
    std::set<std::string> used, made;
    collect_names(statement, used, made);
    for (const std::string& name : made)
      if (std::find(out.returns.begin(), out.returns.end(), name) == out.returns.end()) out.returns.push_back(name);
  }
  return out;
}

static int count_calls(const std::vector<Statement>& block) {
  int count = 0;
  for (const Statement& statement : block) {
    count += std::holds_alternative<CallStatement>(statement.value) ? 1 : 0;
    if (const auto* branch = std::get_if<IfStatement>(&statement.value))
      count += count_calls(branch->then_branch) + count_calls(branch->else_branch);
  }
  return count;
}

int operation_count(const Program& program) { return count_calls(program.body); }

static int count_statements(const Statement& statement) {
  const auto* branch = std::get_if<IfStatement>(&statement.value);
  if (branch == nullptr) return 1;
  int count = 1;
  for (const Statement& inner : branch->then_branch) count += count_statements(inner);
  for (const Statement& inner : branch->else_branch) count += count_statements(inner);
  return count;
}

size_t statement_of(const Program& program, int operation) {
  for (size_t s = 0; s < program.body.size(); ++s) {
    operation -= count_statements(program.body[s]);
    if (operation < 0) return s;
  }
  return program.body.empty() ? 0 : program.body.size() - 1;
}

}  // namespace faultline
