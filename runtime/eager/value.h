// What flows through a running program: tensors, Python scalars, words, and lists of them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runtime/ir/program.h"
#include "runtime/ir/tensor.h"

namespace faultline {

struct Value;
using ValueList = std::vector<Value>;

struct Value {
  std::variant<NoneArgument, bool, int64_t, double, DType, Keyword, Tensor, ValueList> value;

  const Tensor* tensor() const { return std::get_if<Tensor>(&value); }
};

// The tensors of a list of values in reading order: a list's elements stand in its place.
std::vector<const Tensor*> tensors_of(const ValueList& values);
// The same for all values: what the names of a call's results stand for.
ValueList flattened(ValueList values);

Value to_value(const Scalar& scalar);
// An argument that is neither a name nor a list.
template <class... Kinds>
Value constant_value(const std::variant<Kinds...>& argument) {
  return std::visit(
      [](const auto& constant) -> Value {
        if constexpr (requires { Value{constant}; })
          return {constant};
        else
          return {NoneArgument{}};
      },
      argument);
}
// An argument without names. Throws UserError for a ValueName.
Value to_value(const Argument& argument);

}  // namespace faultline
