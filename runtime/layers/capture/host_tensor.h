// A tensor in host memory in one of the element domains: what passes between the segments of a program. Views share
// storage.
#pragma once

#include <memory>
#include <vector>

#include "runtime/ir/tensor.h"

namespace faultline {

template <class D>
struct HostTensor {
  using Value = typename D::Value;
  TensorType type;
  std::shared_ptr<std::vector<Value>> storage;  // storage elements; type.strides and type.offset count them

  // Elements in row-major logical order.
  std::vector<Value> gather() const {
    const int64_t count = element_count(type.sizes);
    std::vector<Value> values(static_cast<size_t>(count));
    if (is_contiguous(type)) {
      std::copy_n(storage->begin() + type.offset, count, values.begin());
    } else {
      for (int64_t i = 0; i < count; ++i) values[i] = (*storage)[storage_index(type, i)];
    }
    return values;
  }

  void scatter(const std::vector<Value>& values) const {
    if (is_contiguous(type)) {
      std::copy(values.begin(), values.end(), storage->begin() + type.offset);
      return;
    }
    for (size_t i = 0; i < values.size(); ++i) (*storage)[storage_index(type, static_cast<int64_t>(i))] = values[i];
  }
};

}  // namespace faultline
