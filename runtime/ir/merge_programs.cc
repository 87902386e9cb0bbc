// Names are told apart by a prefix; nothing else changes.
#include "runtime/ir/merge_programs.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline {

namespace {

void rename(Argument& argument, const std::string& prefix) {
  if (auto* name = std::get_if<ValueName>(&argument.value)) name->text = prefix + name->text;
  if (auto* list = std::get_if<ArgumentList>(&argument.value))
    for (Argument& element : *list) rename(element, prefix);
}

void rename(CallStatement& call, const std::string& prefix) {
  for (std::string& result : call.results) result = prefix + result;
  for (Argument& argument : call.arguments) rename(argument, prefix);
  for (auto& [name, argument] : call.keywords) rename(argument, prefix);
}

void rename(ScalarStatement& scalar, const std::string& prefix) {
  scalar.result = prefix + scalar.result;
  for (Argument& operand : scalar.operands) rename(operand, prefix);
}

void append(const Program& part, const std::string& prefix, Program& whole) {
  for (Parameter parameter : part.parameters) {
    parameter.name = prefix + parameter.name;
    if (!parameter.alias_of.empty()) parameter.alias_of = prefix + parameter.alias_of;
    whole.parameters.push_back(std::move(parameter));
  }
  for (Statement statement : part.body) {
    if (auto* call = std::get_if<CallStatement>(&statement.value)) rename(*call, prefix);
    if (auto* scalar = std::get_if<ScalarStatement>(&statement.value)) rename(*scalar, prefix);
    whole.body.push_back(std::move(statement));
  }
  for (const std::string& name : part.returns) whole.returns.push_back(prefix + name);
  if (part.calls.empty()) return;
  for (const auto& [name, input] : part.calls.front().inputs) whole.calls.front().inputs[prefix + name] = input;
}

}  // namespace

bool is_mergeable(const Program& program) {
  const auto is_plain = [](const Statement& statement) {
    return std::holds_alternative<CallStatement>(statement.value) ||
           std::holds_alternative<ScalarStatement>(statement.value);
  };
  return program.attributes.empty() && program.calls.size() < 2 &&
         std::all_of(program.body.begin(), program.body.end(), is_plain);
}

std::optional<Program> merge_programs(std::span<const Program> programs) {
  if (!std::all_of(programs.begin(), programs.end(), is_mergeable)) return std::nullopt;
  Program whole;
  whole.name = "merged";
  whole.calls.emplace_back();
  for (size_t k = 0; k < programs.size(); ++k) append(programs[k], fmt::format("p{}_", k), whole);
  return whole;
}

}  // namespace faultline
