// Which iteration dims an access depends on decides whether lanes run along the sticks; then addresses are sums of
// coordinate times stride.
#include "runtime/layers/layout/lane_access.h"

#include <algorithm>

#include "runtime/base/error.h"

namespace faultline {

static void join(std::vector<uint8_t>& dims, const std::vector<uint8_t>& more) {
  for (size_t d = 0; d < dims.size(); ++d) dims[d] |= more[d];
}
static void join(std::vector<uint8_t>& dims, const Affine& affine, const Kernel& kernel) {
  for (const Term& term : affine.terms) dims[term.dim] |= kernel.extents[term.dim] != 1;
}

std::vector<uint8_t> access_dims(const Kernel& kernel, const Access& access,
                                 const std::vector<std::vector<uint8_t>>& nodes) {
  std::vector<uint8_t> dims(kernel.extents.size(), 0);
  for (const Coordinate& coordinate : access.coordinates) {
    join(dims, coordinate.affine, kernel);
    if (coordinate.indirect >= 0) join(dims, nodes[coordinate.indirect]);
  }
  return dims;
}

std::vector<std::vector<uint8_t>> node_dims(const Kernel& kernel) {
  std::vector<std::vector<uint8_t>> nodes;
  for (const ScalarNode& node : kernel.nodes) {
    std::vector<uint8_t> dims(kernel.extents.size(), 0);
    if (node.kind == ScalarNode::Kind::index) join(dims, node.affine, kernel);
    if (node.kind == ScalarNode::Kind::reduced) {
      for (int d = 0; d < kernel.parallel; ++d) dims[d] = kernel.extents[d] != 1;
    }
    if (node.kind == ScalarNode::Kind::load) join(dims, access_dims(kernel, node.access, nodes));
    for (const int operand : node.operands) join(dims, nodes[operand]);
    nodes.push_back(std::move(dims));
  }
  return nodes;
}

Access store_access(const Kernel& kernel, int store) {
  Access access{kernel.stores[store].buffer, {}};
  for (int d = 0; d < kernel.parallel; ++d) access.coordinates.push_back({Affine{0, {Term{d, 1, 1, 0}}}, -1});
  return access;
}

bool runs_along_rows(const Access& access, int dim, const std::vector<uint8_t>& indirect_on_dim,
                     const DeviceLayout& layout) {
  if (layout.dims.empty()) return false;
  const DeviceDim& row = layout.dims.back();
  if (row.host_dim < 0 || row.host_step != 1 || row.extent < 1 || !row.is_memory()) return false;
  for (size_t h = 0; h < access.coordinates.size(); ++h) {
    const Affine& affine = access.coordinates[h].affine;
    const auto on_dim = [dim](const Term& term) { return term.dim == dim; };
    const bool depends = std::any_of(affine.terms.begin(), affine.terms.end(), on_dim) || indirect_on_dim[h];
    if (static_cast<int>(h) != row.host_dim) {
      if (depends) return false;
      continue;
    }
    const bool exact = affine.terms == std::vector<Term>{Term{dim, 1, 1, 0}} && access.coordinates[h].indirect < 0;
    if (!exact || affine.constant % row.extent != 0) return false;
  }
  return true;
}

int64_t lane_group(const LayoutProgram& program, int kernel, const Access& access) {
  const KernelLayout& layout = program.kernels[kernel];
  if (layout.lanes == 1 || is_movement(program, kernel)) return 1;
  const Kernel& source = program.program.kernels[kernel];
  if (!access_dims(source, access, node_dims(source))[layout.lane_dim]) return 1;
  return std::max<int64_t>(std::min(layout.lanes, program.layouts[access.buffer].dims.back().extent), 1);
}

int64_t LanePlace::address(std::span<const int64_t> host_index) const {
  int64_t address = base;
  for (size_t j = 0; j < terms.size(); ++j) {
    const int64_t coordinate = terms[j].host_dim < 0 ? 0 : terms[j].at(host_index[terms[j].host_dim]);
    address += (coordinate - origin[j]) * stride_bytes[j];
  }
  return address;
}

LanePlace device_place(const LayoutProgram& program, int kernel, int node, int store, int64_t base) {
  const Kernel& source = program.program.kernels[kernel];
  LanePlace place;
  place.node = node;
  place.store = store;
  place.access = node >= 0 ? source.nodes[node].access : store_access(source, store);
  const DeviceLayout& layout = program.layouts[place.access.buffer];
  place.terms = layout.terms();
  place.origin.assign(layout.dims.size(), 0);
  place.stride_bytes = layout.flat_strides();
  place.base = base;
  place.group = lane_group(program, kernel, place.access);
  place.lane_bytes = layout.flat_element_bytes();
  return place;
}

}  // namespace faultline
