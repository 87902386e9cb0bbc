// Positions: look-up, succession, and the names that the rest of a program still reads.
#include "runtime/layers/capture/position.h"

namespace faultline {

namespace {

const std::vector<Statement>* block_of(const Program& program, const Position& position) {
  const std::vector<Statement>* block = &program.body;
  for (size_t depth = 0; depth + 2 < position.size(); depth += 2) {
    const auto& branch = std::get<IfStatement>((*block)[position[depth]].value);
    block = position[depth + 1] == 0 ? &branch.then_branch : &branch.else_branch;
  }
  return block;
}

// At the end of an inner block, the statement after its `if`.
Position settle(const Program& program, Position position) {
  while (position.size() > 1 && position.back() == static_cast<int>(block_of(program, position)->size())) {
    position.resize(position.size() - 2);
    ++position.back();
  }
  return position;
}

void add_names(const Argument& argument, std::set<std::string>& names) {
  if (const auto* value = std::get_if<ValueName>(&argument.value)) names.insert(value->text);
  if (const auto* list = std::get_if<ArgumentList>(&argument.value))
    for (const Argument& item : *list) add_names(item, names);
}

void add_names(const std::vector<Statement>& block, size_t from, std::set<std::string>& names) {
  for (size_t i = from; i < block.size(); ++i) {
    const auto& value = block[i].value;
    if (const auto* call = std::get_if<CallStatement>(&value)) {
      for (const Argument& argument : call->arguments) add_names(argument, names);
      for (const auto& [key, argument] : call->keywords) add_names(argument, names);
    } else if (const auto* item = std::get_if<ItemStatement>(&value)) {
      names.insert(item->tensor);
    } else if (const auto* scalar = std::get_if<ScalarStatement>(&value)) {
      for (const Argument& argument : scalar->operands) add_names(argument, names);
    } else if (const auto* write = std::get_if<WriteAttribute>(&value)) {
      add_names(write->value, names);
    } else if (const auto* branch = std::get_if<IfStatement>(&value)) {
      names.insert(branch->condition);
      add_names(branch->then_branch, 0, names);
      add_names(branch->else_branch, 0, names);
    }
  }
}

}  // namespace

const Statement* statement_at(const Program& program, const Position& position) {
  const std::vector<Statement>* block = block_of(program, position);
  return position.back() < static_cast<int>(block->size()) ? &(*block)[position.back()] : nullptr;
}

Position after(const Program& program, Position position) {
  ++position.back();
  return settle(program, std::move(position));
}

Position enter(const Program& program, Position position, bool then_branch) {
  position.push_back(then_branch ? 0 : 1);
  position.push_back(0);
  return settle(program, std::move(position));
}

std::set<std::string> names_used_from(const Program& program, const Position& position) {
  std::set<std::string> names(program.returns.begin(), program.returns.end());
  for (Position at = position;;) {
    add_names(*block_of(program, at), at.back(), names);
    if (at.size() == 1) return names;
    at.resize(at.size() - 2);
    ++at.back();
  }
}

}  // namespace faultline
