// A program as Python that torch.compile can trace: one function whose body says statement by statement what program
// text says, every operator by its overload. State is attributes of `self`. What it returns is always a tuple.
//
//   import torch
//   from math import inf, nan
//
//
//   def clone65(x):
//       y = torch.ops.aten.clone.default(x)
//       return (y,)
#pragma once

#include <string>

#include "runtime/ir/program.h"

namespace faultline {

struct PythonProgram {
  std::string source;
  std::string entry;       // the function's name
  bool has_state = false;  // its first parameter is `self`
};

// Throws UserError for an operator or arguments that the schema table does not have.
PythonProgram python_program(const Program& program);

// The name of a value or attribute in it: "lambda" -> "lambda_", "layers.0.weight" -> "layers_0_weight". Attributes of
// one program get distinct names: a second one that would be alike is numbered.
std::map<std::string, std::string> python_attribute_names(const Program& program);

// "torch.float16".
std::string_view python_dtype(DType dtype);

}  // namespace faultline
