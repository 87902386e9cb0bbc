// A host tensor's elements in device memory: packed and unpacked by a layout, in row-major order of the sizes.
#pragma once

#include <vector>

#include "runtime/layers/layout/device_layout.h"
#include "runtime/layers/memory/byte_memory.h"

namespace faultline {

inline constexpr int kHostActor = 1;

// visit(flat, byte offset) for every element.
template <class Visit>
void walk_layout(const DeviceLayout& layout, const Sizes& sizes, Visit visit) {
  const std::vector<CoordinateTerm> terms = layout.terms();
  const std::vector<int64_t> strides = layout.flat_strides();
  std::vector<int64_t> host(sizes.size(), 0);
  const int64_t count = element_count(sizes);
  for (int64_t flat = 0; flat < count; ++flat) {
    int64_t offset = 0;
    for (size_t j = 0; j < terms.size(); ++j)
      if (terms[j].host_dim >= 0) offset += terms[j].at(host[terms[j].host_dim]) * strides[j];
    visit(flat, offset);
    for (size_t d = host.size(); d-- > 0 && ++host[d] == sizes[d];) host[d] = 0;
  }
}

template <class D>
void pack(const DeviceLayout& layout, const Sizes& sizes, DType dtype, const std::vector<typename D::Value>& values,
          ByteMemory<D>& memory, int64_t base) {
  walk_layout(layout, sizes,
              [&](int64_t flat, int64_t offset) { memory.write(base + offset, dtype, values[flat], kHostActor); });
}

template <class D>
std::vector<typename D::Value> unpack(const DeviceLayout& layout, const Sizes& sizes, DType dtype,
                                      ByteMemory<D>& memory, int64_t base) {
  std::vector<typename D::Value> values;
  values.reserve(element_count(sizes));
  walk_layout(layout, sizes,
              [&](int64_t, int64_t offset) { values.push_back(memory.read(base + offset, dtype, kHostActor)); });
  return values;
}

}  // namespace faultline
