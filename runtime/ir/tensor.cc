// Sizes, strides and offsets as arithmetic on storage indices, and tensor types as text.
#include "runtime/ir/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace faultline {

int64_t element_count(const Sizes& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(sizes[d], 1);
  return strides;
}

TensorType contiguous_type(DType dtype, Sizes sizes) {
  Sizes strides = contiguous_strides(sizes);
  return {dtype, std::move(sizes), std::move(strides), 0};
}

bool is_contiguous(const TensorType& type) {
  if (element_count(type.sizes) == 0) return true;
  int64_t expected = 1;
  for (size_t d = type.sizes.size(); d-- > 0;) {
    if (type.sizes[d] != 1 && type.strides[d] != expected) return false;
    expected *= type.sizes[d];
  }
  return true;
}

int64_t storage_elements(const TensorType& type) {
  if (element_count(type.sizes) == 0) return 0;
  int64_t last = type.offset;
  for (size_t d = 0; d < type.sizes.size(); ++d) last += (type.sizes[d] - 1) * type.strides[d];
  return last + 1;
}

std::string to_text(const TensorType& type) {
  std::string text = fmt::format("{}[{}]", name(type.dtype), fmt::join(type.sizes, ","));
  const bool strided = type.strides != contiguous_strides(type.sizes);
  if (strided || type.offset != 0) {
    text += "{";
    if (strided) text += fmt::format("stride={}", fmt::join(type.strides, ","));
    if (type.offset != 0) text += fmt::format("{}offset={}", strided ? " " : "", type.offset);
    text += "}";
  }
  return text;
}

Tensor make_tensor(TensorType type) {
  const auto bytes = static_cast<size_t>(storage_elements(type) * byte_size(type.dtype));
  return {std::move(type), std::make_shared<std::vector<std::byte>>(bytes)};
}

int64_t storage_index(const TensorType& type, int64_t flat) {
  int64_t index = type.offset;
  for (size_t d = type.sizes.size(); d-- > 0;) {
    index += flat % type.sizes[d] * type.strides[d];
    flat /= type.sizes[d];
  }
  return index;
}

}  // namespace faultline
