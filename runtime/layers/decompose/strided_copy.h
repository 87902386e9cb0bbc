// Copies a box of elements between two arrays through strides of any sign.
#pragma once

#include "runtime/ir/tensor.h"

namespace faultline {

// dst[to_offset + sum index*to_strides] = src[from_offset + sum index*from_strides] for every index of `sizes`.
template <class Value>
void strided_copy(const Sizes& sizes, const Value* src, int64_t from_offset, const Sizes& from_strides, Value* dst,
                  int64_t to_offset, const Sizes& to_strides) {
  if (element_count(sizes) == 0) return;
  if (sizes.empty()) {
    dst[to_offset] = src[from_offset];
    return;
  }
  const size_t last = sizes.size() - 1;
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t from = from_offset, to = to_offset;
  while (true) {
    for (int64_t i = 0; i < sizes[last]; ++i) dst[to + i * to_strides[last]] = src[from + i * from_strides[last]];
    size_t d = last;
    while (d-- > 0) {
      from += from_strides[d];
      to += to_strides[d];
      if (++index[d] < sizes[d]) break;
      from -= sizes[d] * from_strides[d];
      to -= sizes[d] * to_strides[d];
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

}  // namespace faultline
