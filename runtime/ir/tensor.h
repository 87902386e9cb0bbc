// A tensor in host memory: bytes, sizes, strides and an offset, as PyTorch's. Several tensors may share one storage
// (views, aliased inputs). Strides and offset count elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/ir/dtype.h"

namespace faultline {

using Sizes = std::vector<int64_t>;

struct TensorType {
  DType dtype = DType::f32;
  Sizes sizes;
  Sizes strides;  // one a size
  int64_t offset = 0;

  bool operator==(const TensorType&) const = default;
};

int64_t element_count(const Sizes& sizes);
Sizes contiguous_strides(const Sizes& sizes);
TensorType contiguous_type(DType dtype, Sizes sizes);
bool is_contiguous(const TensorType& type);
// Elements that a storage must hold for this view: offset + 1 + sum (size-1)*stride, or 0 for an empty tensor.
// Strides may not be negative (PyTorch has none).
int64_t storage_elements(const TensorType& type);
// Program text: "f16[65]", "f32[4,8]{stride=1,4 offset=2}"; stride and offset only where they are not the contiguous
// ones.
std::string to_text(const TensorType& type);

struct Tensor {
  TensorType type;
  std::shared_ptr<std::vector<std::byte>> storage;

  std::byte* data() const { return storage->data(); }
};

// A fresh, zeroed storage just large enough for `type`.
Tensor make_tensor(TensorType type);
// The storage element index of the `flat`-th element in row-major order of the sizes.
int64_t storage_index(const TensorType& type, int64_t flat);

}  // namespace faultline
