// Looks operators up once, refuses what torch would not survive, binds arguments a person wrote, and makes the call.
#include "runtime/eager/eager.h"

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "runtime/base/error.h"
#include "runtime/eager/guards.h"
#include "runtime/eager/marshal.h"
#include "runtime/eager/module.h"
#include "runtime/eager/trial.h"

namespace faultline {
namespace {

struct Operator {
  const TorchOp* op = nullptr;
  const OpSchema* schema = nullptr;
  Guard guard = Guard::none;
  std::string unknown;  // why `op` is null
};

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// "aten.add.Tensor" -> "aten::add", "Tensor"; the default overload is empty in torch.
std::pair<std::string, std::string> torch_names(std::string_view target) {
  const size_t first = target.find('.');
  if (first == std::string_view::npos) return {};
  const size_t second = target.find('.', first + 1);
  std::string overload(second == std::string_view::npos ? "" : target.substr(second + 1));
  if (overload == "default") overload.clear();
  return {fmt::format("{}::{}", target.substr(0, first), target.substr(first + 1, second - first - 1)), overload};
}

const OpSchema* parsed_or_null(const std::string& text) {
  static auto& kept = *new std::deque<OpSchema>();
  try {
    kept.push_back(parse_schema(text));
    kept.back().target =
        fmt::format("{}.{}.{}", text.substr(0, text.find("::")), kept.back().name, kept.back().overload);
    return &kept.back();
  } catch (const UserError&) {
    return nullptr;
  }
}

Operator look_up(std::string_view target) {
  Operator found;
  found.schema = find_schema(target);
  found.guard = guard_of(target);
  const TorchTable* table = torch_module().table;
  if (table == nullptr) return found;
  const auto [name, overload] = torch_names(target);
  found.op = table->find_op(name.c_str(), overload.c_str());
  if (found.op == nullptr)
    found.unknown = unknown_op_text(target);
  else if (found.schema == nullptr)
    found.schema = parsed_or_null(table->schema(found.op));
  return found;
}

// Handles are looked up once a name. References stay valid.
const Operator& operator_of(std::string_view target) {
  static std::mutex mutex;
  static auto& known = *new std::unordered_map<std::string, Operator, TextHash, std::equal_to<>>();
  const std::lock_guard lock(mutex);
  const auto found = known.find(target);
  if (found != known.end()) return found->second;
  return known.emplace(std::string(target), look_up(target)).first->second;
}

OpResult failed(EagerError::Kind kind, std::string type, std::string text) {
  OpResult result;
  result.error = EagerError{kind, std::move(type), std::move(text)};
  return result;
}

std::optional<OpResult> refusal(const Operator& op) {
  using Kind = EagerError::Kind;
  if (torch_module().table == nullptr) return failed(Kind::unavailable, "", torch_module().why_not);
  if (op.op == nullptr) return failed(Kind::raised, "AttributeError", op.unknown);
  return std::nullopt;
}

template <class Use>
void make_call(const Operator& op, const TorchCall& call, Use use) {
  const TorchTable& table = *torch_module().table;
  const std::unique_ptr<TorchResult, void (*)(TorchResult*)> result(table.call(op.op, &call), table.release);
  use(*result);
}

constexpr unsigned kTrialSeconds = 10;

// Why the call must not be made in this process, or nothing.
std::optional<std::string> danger(const Operator& op, std::string_view target, const ValueList& arguments,
                                  const TorchCall& call) {
  if (op.guard == Guard::none) return std::nullopt;
  if (op.guard == Guard::division) return ends_process(target, arguments);
  const auto ended = failed_trial([&] { make_call(op, call, [](const TorchResult&) {}); }, kTrialSeconds);
  if (!ended) return std::nullopt;
  return fmt::format("{} does not survive this call in torch: {}", target, *ended);
}

// Tensors, and lists that hold one, travel through the binding as names: their position among `held`.
Argument to_argument(const Value& value, std::vector<const Value*>& held) {
  if (value.tensor() != nullptr) {
    held.push_back(&value);
    return {ValueName{std::to_string(held.size() - 1)}};
  }
  if (const auto* list = std::get_if<ValueList>(&value.value)) {
    ArgumentList arguments;
    for (const Value& element : *list) arguments.push_back(to_argument(element, held));
    return {std::move(arguments)};
  }
  return std::visit(
      [](const auto& constant) -> Argument {
        if constexpr (requires { Argument{constant}; })
          return {constant};
        else
          return {};
      },
      value.value);
}

Value from_argument(const Argument& argument, const std::vector<const Value*>& held) {
  if (const auto* name = std::get_if<ValueName>(&argument.value)) return *held[std::stoul(name->text)];
  if (const auto* list = std::get_if<ArgumentList>(&argument.value)) {
    ValueList values;
    for (const Argument& element : *list) values.push_back(from_argument(element, held));
    return {std::move(values)};
  }
  return to_value(argument);
}

}  // namespace

std::string to_text(const EagerError& error) {
  switch (error.kind) {
    case EagerError::Kind::raised: return fmt::format("{}: {}", error.type, error.text);
    case EagerError::Kind::unsupported: return fmt::format("unsupported: {}", error.text);
    default: return fmt::format("unavailable: {}", error.text);
  }
}

EagerStatus eager_status() {
  const TorchModule& module = torch_module();
  if (module.table == nullptr) return {false, module.why_not, "", ""};
  return {true, "", module.table->version, module.table->cpu_capability};
}

bool op_exists(std::string_view target) { return operator_of(target).op != nullptr; }

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  const TorchTable* table = torch_module().table;
  for (int32_t i = 0; table != nullptr && i < table->op_count; ++i) {
    std::string name = table->op_names[i];
    const size_t colons = name.find("::");
    if (colons == std::string::npos) continue;
    name.replace(colons, 2, 1, '.');
    if (name.find('.', colons + 1) == std::string::npos) name += ".default";
    names.push_back(std::move(name));
  }
  return names;
}

const OpSchema* eager_schema(std::string_view target) { return operator_of(target).schema; }

void eager_seed(uint64_t seed) {
  if (const TorchTable* table = torch_module().table) table->seed(seed);
}

OpResult EagerExecutor::call(std::string_view target, const ValueList& arguments) {
  const Operator& op = operator_of(target);
  if (std::optional<OpResult> refused = refusal(op)) return std::move(*refused);
  static thread_local MarshalledCall marshalled;
  try {
    marshalled.fill(arguments);
  } catch (const UserError& error) {
    return failed(EagerError::Kind::raised, "TypeError", error.what());
  }
  const TorchCall call = marshalled.call();
  if (std::optional<std::string> why = danger(op, target, arguments, call))
    return failed(EagerError::Kind::unsupported, "", std::move(*why));
  OpResult result;
  make_call(op, call, [&](const TorchResult& torch_result) { result = marshalled.results(torch_result); });
  return result;
}

OpResult eager_call(std::string_view target, const ValueList& arguments,
                    std::span<const std::pair<std::string, Value>> keywords) {
  const Operator& op = operator_of(target);
  if (std::optional<OpResult> refused = refusal(op)) return std::move(*refused);
  if (op.schema == nullptr)
    return failed(EagerError::Kind::unsupported, "", fmt::format("{} takes types that programs do not have", target));
  std::vector<const Value*> held;
  ArgumentList positional;
  for (const Value& value : arguments) positional.push_back(to_argument(value, held));
  std::vector<std::pair<std::string, Argument>> named;
  for (const auto& [name, value] : keywords) named.emplace_back(name, to_argument(value, held));
  ValueList bound;
  try {
    for (const Argument& argument : bind_arguments(*op.schema, positional, named))
      bound.push_back(from_argument(argument, held));
  } catch (const UserError& error) {
    return failed(EagerError::Kind::raised, "TypeError", error.what());
  }
  return EagerExecutor().call(target, bound);
}

}  // namespace faultline
