// An operator as the border hands it out: torch's handle and what is worked out once from its schema.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

#include "runtime/eager/torch/convert.h"
#include "runtime/eager/torch_table.h"

struct TorchOp {
  c10::OperatorHandle handle;
  std::vector<faultline::torch_module::ArgumentPlan> plan;
  std::string schema, tags;
  bool writes = false;
  bool aligned = false;  // its bits depend on where its operands lie; see needs_alignment
};

namespace faultline::torch_module {

// Null for an unknown name. Thread-safe.
const TorchOp* find_operator(const char* name, const char* overload);

// Runs one call; every exception becomes a status of the result.
TorchResult* run_call(const TorchOp& op, const TorchCall& call) noexcept;
void release_result(TorchResult* result) noexcept;

}  // namespace faultline::torch_module
