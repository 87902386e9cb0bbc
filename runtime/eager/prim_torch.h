// Torch's operators as functions on tensors, for writing a prim as a few calls. An error leaves as TorchFailure, which
// run_prim catches: it never leaves this folder.
#pragma once

#include <string_view>

#include "runtime/eager/executor.h"
#include "runtime/ir/literal.h"

namespace faultline {

struct TorchFailure {
  EagerError error;
};

class PrimTorch {
 public:
  explicit PrimTorch(OpExecutor& executor) : executor_(executor) {}

  // The first result of the operator.
  Tensor call(std::string_view target, const ValueList& arguments);
  Value call_value(std::string_view target, const ValueList& arguments);

  Tensor cast(const Tensor& tensor, DType dtype);  // the tensor itself when it has the dtype
  Tensor reshape(const Tensor& tensor, const Sizes& sizes);
  Tensor permute(const Tensor& tensor, const std::vector<int64_t>& dims);
  Tensor expand(const Tensor& tensor, const Sizes& sizes);
  Tensor contiguous(const Tensor& tensor);
  Tensor full(const Sizes& sizes, const Literal& literal, DType dtype);
  Tensor count(int64_t number);  // 0, 1, ... number-1 as i64

 private:
  OpExecutor& executor_;
};

Value list_value(const std::vector<int64_t>& numbers);

}  // namespace faultline
