// Values are objects: the result of an in-place operator is its argument, so a later reshape shows under both numbers.
#include "runtime/eager/eager_segment.h"

#include <fmt/format.h>

#include <memory>

#include "runtime/base/error.h"

namespace faultline {
namespace {

using Object = std::shared_ptr<Tensor>;

Value resolve(const SegmentArgument& argument, const std::vector<Object>& values, std::vector<Object>& operands) {
  if (const auto* id = std::get_if<ValueId>(&argument.value)) {
    operands.push_back(values.at(static_cast<size_t>(id->index)));
    FAULTLINE_CHECK(operands.back(), fmt::format("%{} is used before it is defined", id->index));
    return {*operands.back()};
  }
  if (const auto* list = std::get_if<SegmentArguments>(&argument.value)) {
    ValueList elements;
    for (const SegmentArgument& element : *list) elements.push_back(resolve(element, values, operands));
    return {std::move(elements)};
  }
  return constant_value(argument.value);
}

std::optional<EagerError> run_call(OpExecutor& executor, const SegmentCall& call, std::vector<Object>& values) {
  std::vector<Object> operands;
  ValueList arguments;
  for (const SegmentArgument& argument : call.arguments) arguments.push_back(resolve(argument, values, operands));
  OpResult result = executor.call(call.target, arguments);
  if (result.error) return std::move(result.error);
  for (auto& [operand, tensor] : result.changed) *operands[static_cast<size_t>(operand)] = std::move(tensor);
  if (call.results.empty()) return std::nullopt;  // dropped
  const std::vector<const Tensor*> tensors = tensors_of(result.outputs);
  if (tensors.size() != call.results.size())
    return EagerError{
        EagerError::Kind::unsupported, "",
        fmt::format("{} gives {} tensors where the segment has {}", call.target, tensors.size(), call.results.size())};
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int same = result.same_as[i];
    values.at(static_cast<size_t>(call.results[i])) =
        same >= 0 ? operands[static_cast<size_t>(same)] : std::make_shared<Tensor>(*tensors[i]);
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<Tensor>, EagerError> run_segment(OpExecutor& executor, const Segment& segment,
                                                          std::span<const Tensor> inputs) {
  FAULTLINE_CHECK(inputs.size() == segment.inputs.size(), segment.name);
  std::vector<Object> values(static_cast<size_t>(value_count(segment)));
  for (size_t i = 0; i < inputs.size(); ++i) values[i] = std::make_shared<Tensor>(inputs[i]);
  for (const SegmentCall& call : segment.calls)
    if (std::optional<EagerError> error = run_call(executor, call, values)) return std::move(*error);
  std::vector<Tensor> tensors;
  for (const Object& value : values) tensors.push_back(*value);
  return tensors;
}

}  // namespace faultline
