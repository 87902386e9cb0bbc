// Cells of the border to values of torch's dispatcher and back.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/eager/torch_table.h"

namespace faultline::torch_module {

// What the border cannot carry, as against what torch refuses.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What an argument of the schema takes, worked out once an operator.
enum class ArgumentKind : uint8_t {
  tensor,
  scalar,
  integer,
  real,
  boolean,
  text,
  dtype,
  layout,
  device,
  memory_format,
  generator,
  other
};
struct ArgumentPlan {
  ArgumentKind kind = ArgumentKind::other;
  bool list = false;
  bool optional = false;           // the whole may be None
  bool optional_elements = false;  // Tensor?[]
  int32_t list_size = 0;           // a lone value stands for that many
  bool written = false;
};
ArgumentPlan plan_argument(const c10::Argument& argument);

c10::ScalarType to_torch(int32_t dtype);
// Throws Unsupported for complex, quantised and other types that programs do not have.
int32_t dtype_number(c10::ScalarType type);

// Reads one argument from `cell` (advanced past it). Throws c10::TypeError for a cell that the schema does not take.
c10::IValue argument_value(const ArgumentPlan& plan, const c10::Argument& argument, const TorchCell*& cell,
                           const TorchCell* end, const std::vector<at::Tensor>& tensors);

}  // namespace faultline::torch_module
