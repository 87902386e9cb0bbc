// Host code, cache look-up and frame execution; one copy for each element domain.
#include "runtime/layers/capture/run_frames.h"

#include "runtime/base/error.h"
#include "runtime/exact/exact_domain.h"
#include "runtime/exact/fingerprint_domain.h"
#include "runtime/ir/scalar_expression.h"
#include "runtime/layers/capture/position.h"
#include "runtime/numerics/native_domain.h"

namespace faultline {

template <class D>
FrameState FrameRun<D>::view() const {
  FrameState state;
  for (const auto& [name, tensor] : state_.tensors) state.tensors[name] = {tensor.type, tensor.storage.get()};
  state.scalars = state_.scalars;
  return state;
}

template <class D>
Scalar FrameRun<D>::item(const std::string& name) {
  const auto found = state_.tensors.find(name);
  if (found == state_.tensors.end()) throw UserError("'" + name + "' is not a tensor: item() needs one");
  if (element_count(found->second.type.sizes) != 1)
    throw UserError("item() on '" + name + "' of " + to_text(found->second.type) + ": it needs exactly one element");
  Scalar value;
  if (options_.replay != nullptr) {
    FAULTLINE_CHECK(items_used_ < options_.replay->items.size(),
                    "replayed run reads more scalars than the recorded one");
    value = options_.replay->items[items_used_++];
  } else {
    value = options_.read_item(found->second);
  }
  if (options_.record != nullptr) options_.record->items.push_back(value);
  return value;
}

static Scalar operand_value(const Argument& operand, const std::map<std::string, Scalar>& scalars) {
  if (const auto* name = std::get_if<ValueName>(&operand.value)) {
    const auto found = scalars.find(name->text);
    if (found == scalars.end()) throw UserError("'" + name->text + "' is not a scalar");
    return found->second;
  }
  if (const auto* flag = std::get_if<bool>(&operand.value)) return *flag;
  if (const auto* integer = std::get_if<int64_t>(&operand.value)) return *integer;
  return std::get<double>(operand.value);
}

// Carries out one statement that needs no trace; false when the statement at `position` does.
template <class D>
bool FrameRun<D>::host_step(Position& position) {
  const Statement* statement = statement_at(program_, position);
  if (statement == nullptr) return false;
  if (const auto* read = std::get_if<ItemStatement>(&statement->value)) {
    state_.scalars[read->result] = item(read->tensor);
  } else if (const auto* scalar = std::get_if<ScalarStatement>(&statement->value)) {
    std::vector<Scalar> operands;
    for (const Argument& operand : scalar->operands) operands.push_back(operand_value(operand, state_.scalars));
    state_.scalars[scalar->result] = evaluate_scalar(scalar->op, operands);
  } else if (const auto* branch = std::get_if<IfStatement>(&statement->value)) {
    const bool taken = truth(operand_value({ValueName{branch->condition}}, state_.scalars));
    position = enter(program_, position, taken);
    return true;
  } else {
    return false;
  }
  position = after(program_, position);
  return true;
}

// `eager`: the frame runs eagerly. It looks at none of the compiled entries; its own are there to be found again only
// so that a run in another domain can name them.
template <class D>
int FrameRun<D>::find_entry(const Position& position, bool eager) {
  if (options_.replay != nullptr) {
    FAULTLINE_CHECK(entries_used_ < options_.replay->entries.size(),
                    "replayed run has more frames than the recorded one");
    return options_.replay->entries[entries_used_++];
  }
  const FrameState state = view();
  int at_position = 0;
  for (size_t i = 0; i < capture_.entries.size(); ++i) {
    const CaptureEntry& entry = capture_.entries[i];
    if (entry.position != position || entry.eager != eager) continue;
    ++at_position;
    bool fits = true;
    for (const Guard& guard : entry.guards) fits = fits && holds(guard, state);
    if (fits) return static_cast<int>(i);
  }
  if (!eager && at_position >= kRecompileLimit) return find_entry(position, true);
  const std::string name = program_.name + "_" + std::to_string(capture_.entries.size());
  capture_.entries.push_back(trace(program_, position, state, name));
  capture_.entries.back().eager = eager;
  if (!eager) options_.gate->artefact(Layer::capture, name, &capture_);
  return static_cast<int>(capture_.entries.size()) - 1;
}

template <class D>
void FrameRun<D>::run_entry(const CaptureEntry& entry, int index) {
  std::vector<HostTensor<D>> inputs;
  for (const std::string& name : entry.inputs) inputs.push_back(state_.tensors.at(name));
  const std::vector<HostTensor<D>> outputs =
      entry.eager ? runner_.run_eager(index, entry.segment, inputs) : runner_.run(index, entry.segment, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    state_.tensors[entry.segment.outputs[i].name] = outputs[i];
    state_.scalars.erase(entry.segment.outputs[i].name);
  }
  for (const auto& [name, value] : entry.scalars) {
    state_.scalars[name] = value;
    state_.tensors.erase(name);
  }
}

template <class D>
CallResult<D> FrameRun<D>::call(std::map<std::string, HostTensor<D>> tensors, std::map<std::string, Scalar> scalars) {
  std::erase_if(state_.tensors, [](const auto& item) { return !item.first.starts_with("self."); });
  std::erase_if(state_.scalars, [](const auto& item) { return !item.first.starts_with("self."); });
  state_.tensors.merge(tensors);
  state_.scalars.merge(scalars);
  std::vector<std::string> returned = program_.returns;
  bool eager = false;
  for (Position position = {0};;) {
    while (host_step(position)) {
    }
    if (statement_at(program_, position) == nullptr) break;
    const int index = find_entry(position, eager);
    if (options_.record != nullptr) options_.record->entries.push_back(index);
    const CaptureEntry entry = capture_.entries[index];
    eager = entry.eager;
    run_entry(entry, index);
    if (!entry.exit.breaks) {
      returned = entry.exit.returned;
      break;
    }
    state_.scalars[entry.exit.result] = item(entry.exit.tensor);
    position = entry.exit.resume;
  }
  CallResult<D> result;
  for (const std::string& name : returned) {
    if (const auto tensor = state_.tensors.find(name); tensor != state_.tensors.end()) {
      result.returned.emplace_back(name, tensor->second);
    } else {
      result.returned.emplace_back(name, state_.scalars.at(name));
    }
  }
  return result;
}

template class FrameRun<NativeDomain>;
template class FrameRun<ExactDomain>;
template class FrameRun<FingerprintDomain>;

}  // namespace faultline
