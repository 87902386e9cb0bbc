// Conversions between values of a run and what stands in a program.
#include "runtime/eager/value.h"

#include "runtime/base/error.h"

namespace faultline {

static void collect_tensors(const ValueList& values, std::vector<const Tensor*>& tensors) {
  for (const Value& value : values) {
    if (const Tensor* tensor = value.tensor()) tensors.push_back(tensor);
    if (const auto* list = std::get_if<ValueList>(&value.value)) collect_tensors(*list, tensors);
  }
}

std::vector<const Tensor*> tensors_of(const ValueList& values) {
  std::vector<const Tensor*> tensors;
  collect_tensors(values, tensors);
  return tensors;
}

ValueList flattened(ValueList values) {
  ValueList flat;
  for (Value& value : values) {
    if (auto* list = std::get_if<ValueList>(&value.value)) {
      for (Value& element : flattened(std::move(*list))) flat.push_back(std::move(element));
    } else {
      flat.push_back(std::move(value));
    }
  }
  return flat;
}

Value to_value(const Scalar& scalar) {
  return std::visit([](auto number) { return Value{number}; }, scalar);
}

Value to_value(const Argument& argument) {
  if (const auto* name = std::get_if<ValueName>(&argument.value))
    throw UserError("'" + name->text + "' is no constant");
  if (const auto* list = std::get_if<ArgumentList>(&argument.value)) {
    ValueList values;
    for (const Argument& element : *list) values.push_back(to_value(element));
    return {std::move(values)};
  }
  return constant_value(argument.value);
}

}  // namespace faultline
