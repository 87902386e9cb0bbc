// Elements of host tensors as bit patterns.
#pragma once

#include <cstring>

#include "runtime/ir/tensor.h"

namespace faultline {

// Element `index` of the storage, in the low bits.
inline uint64_t load_bits(const Tensor& tensor, int64_t index) {
  const int64_t bytes = byte_size(tensor.type.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data() + index * bytes, static_cast<size_t>(bytes));
  return bits;
}

// The number an element's bits stand for, for integer and bool dtypes: sign-extended for the signed ones.
inline int64_t host_integer(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::i64: return static_cast<int64_t>(bits);
    case DType::i32: return static_cast<int32_t>(bits);
    case DType::i16: return static_cast<int16_t>(bits);
    case DType::i8: return static_cast<int8_t>(bits);
    case DType::u8: return static_cast<uint8_t>(bits);
    default: return bits != 0 ? 1 : 0;
  }
}

}  // namespace faultline
