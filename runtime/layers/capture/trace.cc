// The tracer: walks statements with the state's types and scalars, records calls, and notes a guard for every fact of
// the state it made use of. Tensors of the state become segment inputs on first use; their numbers are settled at the
// end, because a segment numbers inputs before results.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runtime/base/error.h"
#include "runtime/ir/scalar_expression.h"
#include "runtime/ir/schema/schema.h"
#include "runtime/layers/capture/position.h"
#include "runtime/layers/decompose/decompose.h"

namespace faultline {

namespace {

class Tracer {
 public:
  Tracer(const Program& program, const FrameState& state) : program_(program), state_(state) {}

  CaptureEntry run(const Position& position, const std::string& name) {
    entry_.position = position;
    entry_.segment.name = name;
    Position at = position;
    while (const Statement* statement = statement_at(program_, at)) {
      if (const auto* item = std::get_if<ItemStatement>(&statement->value)) {
        entry_.exit = {true, {}, item->tensor, item->result, after(program_, at)};
        break;
      }
      if (const auto* branch = std::get_if<IfStatement>(&statement->value)) {
        at = enter(program_, at, truth(scalar(branch->condition)));
        continue;
      }
      record(*statement);
      at = after(program_, at);
    }
    if (!entry_.exit.breaks) entry_.exit.returned = program_.returns;
    finish();
    return std::move(entry_);
  }

 private:
  // Inputs have temporary numbers -1, -2, ...; results count from 0.
  int input(const std::string& name) {
    const auto found = std::find(entry_.inputs.begin(), entry_.inputs.end(), name);
    if (found == entry_.inputs.end()) {
      entry_.inputs.push_back(name);
      return -static_cast<int>(entry_.inputs.size());
    }
    return -1 - static_cast<int>(found - entry_.inputs.begin());
  }

  bool is_tensor(const std::string& name) const {
    return values_.contains(name) || (!entry_.scalars.contains(name) && state_.tensors.contains(name));
  }

  int tensor(const std::string& name) {
    const auto found = values_.find(name);
    return found != values_.end() ? found->second : input(name);
  }

  // The exception says which name the state lacks.
  const Scalar& fact(const std::string& name) const {
    const auto found = state_.scalars.find(name);
    if (found == state_.scalars.end()) throw std::out_of_range(name);
    return found->second;
  }

  Scalar fact_or_placeholder(const std::string& name) const {
    const auto found = state_.scalars.find(name);
    return found == state_.scalars.end() ? kPlaceholder : found->second;
  }

  bool are_known(const std::set<std::string>& names) const {
    return std::all_of(names.begin(), names.end(), [&](const auto& name) { return state_.scalars.contains(name); });
  }

  const LiveTensor& live_tensor(const std::string& name) const {
    const auto found = state_.tensors.find(name);
    if (found == state_.tensors.end()) throw std::out_of_range(name);
    return found->second;
  }

  // A scalar made while tracing is a constant that depends on the state's scalars it was made of; these are guarded
  // when it is used for something that the trace freezes. What nothing uses needs no fact: where the state lacks one
  // (it may hold no more than an entry's guards), a placeholder stands for the number until it is asked for.
  Scalar scalar(const std::string& name) {
    if (const auto made = entry_.scalars.find(name); made != entry_.scalars.end()) {
      for (const std::string& source : sources_[name]) guard_scalar(source);
      return made->second;
    }
    guard_scalar(name);
    return fact(name);
  }

  void guard_scalar(const std::string& name) {
    if (guarded_.insert(name).second) entry_.guards.push_back({Guard::Kind::scalar_value, name, "", {}, fact(name)});
  }

  void bind(const std::string& name, int value) {
    values_[name] = value;
    entry_.scalars.erase(name);
  }

  void bind(const std::string& name, const Scalar& value, std::set<std::string> sources) {
    values_.erase(name);
    entry_.scalars[name] = value;
    sources_[name] = std::move(sources);
  }

  Argument resolve(const Argument& argument) {
    if (const auto* name = std::get_if<ValueName>(&argument.value)) {
      if (is_tensor(name->text)) return argument;
      return std::visit([](auto value) { return Argument{value}; }, scalar(name->text));
    }
    if (const auto* list = std::get_if<ArgumentList>(&argument.value)) {
      ArgumentList resolved;
      for (const Argument& item : *list) resolved.push_back(resolve(item));
      return {std::move(resolved)};
    }
    return argument;
  }

  SegmentArgument number(const Argument& argument) {
    return std::visit(
        [&](const auto& value) -> SegmentArgument {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, ValueName>) {
            return {ValueId{tensor(value.text)}};
          } else if constexpr (std::is_same_v<T, ArgumentList>) {
            SegmentArguments list;
            for (const Argument& item : value) list.push_back(number(item));
            return {std::move(list)};
          } else {
            return {value};
          }
        },
        argument.value);
  }

  void record(const Statement& statement) {
    std::visit([&](const auto& value) { record(value); }, statement.value);
  }

  void record(const CallStatement& call) {
    ArgumentList arguments;
    for (const Argument& argument : call.arguments) arguments.push_back(resolve(argument));
    std::vector<std::pair<std::string, Argument>> keywords;
    for (const auto& [key, argument] : call.keywords) keywords.emplace_back(key, resolve(argument));
    const OpSchema& schema = schema_at(call.target);
    const ArgumentList bound = bind_arguments(schema, arguments, keywords);
    if (call.results.size() == 1)
      if (const std::optional<Scalar> fact = fact_of_type(schema, bound)) return bind(call.results[0], *fact, {});
    for (const SchemaReturn& result : schema.returns)
      if (result.type.kind != SchemaKind::tensor)
        throw Rejected(call.target, "gives a Python number, which a segment does not hold");
    SegmentCall recorded;
    recorded.target = call.target;
    recorded.statement = static_cast<int>(entry_.segment.calls.size());
    for (const Argument& argument : bound) recorded.arguments.push_back(number(argument));
    for (const std::string& result : call.results) {
      recorded.results.push_back(results_);
      bind(result, results_++);
    }
    entry_.segment.calls.push_back(std::move(recorded));
  }

  // A size, a stride, an offset: a constant of the trace, since the types of its inputs are guarded.
  std::optional<Scalar> fact_of_type(const OpSchema& schema, const ArgumentList& arguments) {
    if (!schema.name.starts_with("sym_") || arguments.empty()) return std::nullopt;
    const auto* name = std::get_if<ValueName>(&arguments[0].value);
    if (name == nullptr) return std::nullopt;
    const auto integer = [&](size_t k) {
      const auto* value = k < arguments.size() ? std::get_if<int64_t>(&arguments[k].value) : nullptr;
      return value == nullptr ? int64_t{0} : *value;
    };
    const TensorType type = type_of(name->text);
    if (schema.name == "sym_numel") return element_count(type.sizes);
    if (schema.name == "sym_storage_offset") return type.offset;
    if (schema.name == "sym_is_contiguous" && integer(1) == 0) return is_contiguous(type);
    const bool size = schema.name == "sym_size";
    if ((!size && schema.name != "sym_stride") || schema.overload != "int") return std::nullopt;
    const int64_t dim = integer(1) < 0 ? integer(1) + std::ssize(type.sizes) : integer(1);
    if (dim < 0 || dim >= std::ssize(type.sizes)) throw Rejected(schema.target, "a dim out of range");
    return size ? type.sizes[dim] : type.strides[dim];
  }

  // Of what the trace has made so far, as its decomposition has it.
  TensorType type_of(const std::string& name) {
    const int value = tensor(name);
    if (value < 0) return live_tensor(entry_.inputs[-1 - value]).type;
    Segment made = entry_.segment;
    for (size_t i = 0; i < entry_.inputs.size(); ++i) made.inputs.push_back(graph_input(i));
    made.outputs = {{name, value}};
    settle(made);
    return decompose(made).outputs.at(0).type;
  }

  void record(const ScalarStatement& statement) {
    std::vector<Scalar> operands;
    std::set<std::string> sources;
    for (const Argument& operand : statement.operands) operands.push_back(operand_of(operand, sources));
    const Scalar value = are_known(sources) ? evaluate_scalar(statement.op, operands) : kPlaceholder;
    bind(statement.result, value, std::move(sources));
  }

  Scalar operand_of(const Argument& operand, std::set<std::string>& sources) {
    if (const auto* name = std::get_if<ValueName>(&operand.value)) {
      if (const auto made = entry_.scalars.find(name->text); made != entry_.scalars.end()) {
        sources.insert(sources_[name->text].begin(), sources_[name->text].end());
        return made->second;
      }
      sources.insert(name->text);
      return fact_or_placeholder(name->text);
    }
    if (const auto* flag = std::get_if<bool>(&operand.value)) return *flag;
    if (const auto* integer = std::get_if<int64_t>(&operand.value)) return *integer;
    return std::get<double>(operand.value);
  }

  void record(const ReadAttribute& read) {
    const std::string name = "self." + read.attribute;
    if (is_tensor(name)) return bind(read.result, tensor(name));
    if (const auto made = entry_.scalars.find(name); made != entry_.scalars.end())
      return bind(read.result, made->second, sources_[name]);
    bind(read.result, fact_or_placeholder(name), {name});
  }

  void record(const WriteAttribute& write) {
    const std::string name = "self." + write.attribute;
    const auto* source = std::get_if<ValueName>(&write.value.value);
    if (source != nullptr && is_tensor(source->text)) {
      bind(name, tensor(source->text));
    } else {
      std::set<std::string> sources;
      const Scalar value = operand_of(write.value, sources);
      for (const std::string& fact : sources) guard_scalar(fact);
      bind(name, value, std::move(sources));
    }
    written_.insert(name);
  }

  void record(const ItemStatement&) {}
  void record(const IfStatement&) {}

  void renumber(SegmentArgument& argument) const {
    if (auto* value = std::get_if<ValueId>(&argument.value)) value->index = settled(value->index);
    if (auto* list = std::get_if<SegmentArguments>(&argument.value))
      for (SegmentArgument& item : *list) renumber(item);
  }
  int settled(int value) const { return value < 0 ? -1 - value : value + static_cast<int>(entry_.inputs.size()); }

  void settle(Segment& segment) const {
    for (SegmentCall& call : segment.calls) {
      for (SegmentArgument& argument : call.arguments) renumber(argument);
      for (int& result : call.results) result = settled(result);
    }
    for (SegmentOutput& output : segment.outputs) output.value = settled(output.value);
  }

  // Scalars that the trace made and the rest of the program reads depend on the state too: their constants are guarded.
  void guard_surviving_scalars(const std::set<std::string>& used) {
    for (const auto& [name, value] : entry_.scalars)
      if (used.contains(name) || written_.contains(name))
        for (const std::string& source : sources_[name]) guard_scalar(source);
  }

  void finish() {
    std::set<std::string> used = entry_.exit.breaks
                                     ? names_used_from(program_, entry_.exit.resume)
                                     : std::set<std::string>(program_.returns.begin(), program_.returns.end());
    if (entry_.exit.breaks) used.insert(entry_.exit.tensor);
    guard_surviving_scalars(used);
    std::erase_if(entry_.scalars,
                  [&](const auto& made) { return !used.contains(made.first) && !written_.contains(made.first); });
    for (const auto& [name, value] : values_) {
      if (!used.contains(name) && !written_.contains(name)) continue;
      entry_.segment.outputs.push_back({name, value});
    }
    settle(entry_.segment);
    guard_inputs();
  }

  bool share_storage(size_t i, size_t j) const {
    return live_tensor(entry_.inputs[i]).storage == live_tensor(entry_.inputs[j]).storage;
  }

  GraphInput graph_input(size_t i) const {
    GraphInput result{entry_.inputs[i], live_tensor(entry_.inputs[i]).type, -1};
    for (size_t j = 0; j < i && result.alias_of < 0; ++j)
      if (share_storage(i, j)) result.alias_of = static_cast<int>(j);
    return result;
  }

  void guard_inputs() {
    for (size_t i = 0; i < entry_.inputs.size(); ++i) {
      const std::string& name = entry_.inputs[i];
      entry_.guards.push_back({Guard::Kind::tensor_type, name, "", live_tensor(name).type, {}});
      for (size_t j = 0; j < i; ++j) {
        const auto kind = share_storage(i, j) ? Guard::Kind::same_storage : Guard::Kind::apart;
        entry_.guards.push_back({kind, name, entry_.inputs[j], {}, {}});
      }
      entry_.segment.inputs.push_back(graph_input(i));
    }
  }

  // Guards of its sources throw before anything is made of it.
  inline static const Scalar kPlaceholder = int64_t{0};

  const Program& program_;
  const FrameState& state_;
  CaptureEntry entry_;
  std::map<std::string, int> values_;
  std::map<std::string, std::set<std::string>> sources_;
  std::set<std::string> guarded_, written_;
  int results_ = 0;
};

}  // namespace

CaptureEntry trace(const Program& program, const Position& position, const FrameState& state, const std::string& name) {
  return Tracer(program, state).run(position, name);
}

bool holds(const Guard& guard, const FrameState& state) {
  switch (guard.kind) {
    case Guard::Kind::tensor_type: {
      const auto found = state.tensors.find(guard.name);
      return found != state.tensors.end() && found->second.type == guard.type;
    }
    case Guard::Kind::scalar_value: {
      const auto found = state.scalars.find(guard.name);
      return found != state.scalars.end() && same_scalar(found->second, guard.value);
    }
    default: {
      const auto a = state.tensors.find(guard.name), b = state.tensors.find(guard.other);
      if (a == state.tensors.end() || b == state.tensors.end()) return false;
      return (a->second.storage == b->second.storage) == (guard.kind == Guard::Kind::same_storage);
    }
  }
}

}  // namespace faultline
