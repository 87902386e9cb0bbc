// A host tensor's elements in device memory: packed and unpacked by a layout, in row-major order of the sizes.
#pragma once

#include <vector>

#include "runtime/layers/layout/device_layout.h"
#include "runtime/layers/memory/byte_memory.h"

namespace faultline {

inline constexpr int kHostActor = 1;

// visit(flat, byte offset, count) for all elements in runs: `count` elements of a row of the tensor that lie
// `element_bytes` apart.
template <class Visit>
void walk_layout(const DeviceLayout& layout, const Sizes& sizes, int element_bytes, Visit visit) {
  const std::vector<CoordinateTerm> terms = layout.terms();
  const std::vector<int64_t> strides = layout.flat_strides();
  const size_t rank = sizes.size();
  const int64_t row = rank == 0 ? 1 : sizes.back();
  // By host dim and index: the offset that it adds.
  std::vector<std::vector<int64_t>> offsets;
  for (const int64_t size : sizes) offsets.emplace_back(static_cast<size_t>(size), 0);
  if (rank == 0) offsets.emplace_back(1, 0);
  for (size_t j = 0; j < terms.size(); ++j) {
    if (terms[j].host_dim < 0) continue;
    std::vector<int64_t>& mine = offsets[terms[j].host_dim];
    for (size_t i = 0; i < mine.size(); ++i) mine[i] += terms[j].at(static_cast<int64_t>(i)) * strides[j];
  }
  const std::vector<int64_t>& last = offsets.back();
  std::vector<int64_t> host(rank == 0 ? 0 : rank - 1, 0);
  const int64_t elements = element_count(sizes);
  for (int64_t flat = 0; flat < elements; flat += row) {
    int64_t base = 0;
    for (size_t d = 0; d < host.size(); ++d) base += offsets[d][host[d]];
    for (int64_t i = 0, end; i < row; i = end) {
      end = i + 1;
      while (end < row && last[end] == last[end - 1] + element_bytes) ++end;
      visit(flat + i, base + last[i], static_cast<int>(end - i));
    }
    for (size_t d = host.size(); d-- > 0 && ++host[d] == sizes[d];) host[d] = 0;
  }
}

template <class D>
void pack(const DeviceLayout& layout, const Sizes& sizes, DType dtype, const std::vector<typename D::Value>& values,
          ByteMemory<D>& memory, int64_t base) {
  walk_layout(layout, sizes, memory.domain().element_bytes(dtype), [&](int64_t flat, int64_t offset, int count) {
    memory.write_run(base + offset, dtype, count, values.data() + flat, kHostActor);
  });
}

template <class D>
std::vector<typename D::Value> unpack(const DeviceLayout& layout, const Sizes& sizes, DType dtype,
                                      ByteMemory<D>& memory, int64_t base) {
  std::vector<typename D::Value> values(static_cast<size_t>(element_count(sizes)));
  walk_layout(layout, sizes, memory.domain().element_bytes(dtype), [&](int64_t flat, int64_t offset, int count) {
    memory.read_run(base + offset, dtype, count, kHostActor, values.data() + flat);
  });
  return values;
}

}  // namespace faultline
