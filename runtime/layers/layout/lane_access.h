// How the lanes of one operand lie in memory. A vector access takes a whole group of lanes from consecutive positions,
// starting where the group's first lane lies; it does not look at where the others should lie. So an access that does
// not run along the sticks reads wrong neighbours, here and on every layer below, as on the machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/layers/layout/layout_program.h"

namespace faultline {

// Iteration dims of extent other than 1 on which the value of a node depends, and those on which an access does,
// through its indirect nodes too.
std::vector<std::vector<uint8_t>> node_dims(const Kernel& kernel);
std::vector<uint8_t> access_dims(const Kernel& kernel, const Access& access,
                                 const std::vector<std::vector<uint8_t>>& nodes);

// The access of a store: the identity on the parallel dims.
Access store_access(const Kernel& kernel, int store);

// Whether consecutive indices of `dim` lie at consecutive positions of whole innermost rows: the coordinate of the
// innermost device dim's host dim is index[dim] plus a multiple of the row, and no other coordinate depends on dim.
bool runs_along_rows(const Access& access, int dim, const std::vector<uint8_t>& indirect_on_dim,
                     const DeviceLayout& layout);

// Lanes that one vector access of this operand takes: 1 for one element at a time.
int64_t lane_group(const LayoutProgram& program, int kernel, const Access& access);

// Where the elements of one operand lie in some memory: base, plus for every device dim (coordinate - origin) * stride.
struct LanePlace {
  int node = -1, store = -1;  // which load or store of the kernel this is
  Access access;
  std::vector<CoordinateTerm> terms;
  std::vector<int64_t> origin, stride_bytes;  // by device dim
  int64_t base = 0;
  int64_t group = 1;
  int64_t lane_bytes = 1;

  int64_t address(std::span<const int64_t> host_index) const;
};
// In the buffer's own memory, which begins at `base`.
LanePlace device_place(const LayoutProgram& program, int kernel, int node, int store, int64_t base);

}  // namespace faultline
