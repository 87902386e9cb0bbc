// Strides on both sides of a copy, innermost dims merged while both sides stay contiguous.
#include "runtime/layers/schedule/copy_nest.h"

#include <algorithm>

namespace faultline {

std::vector<int64_t> tile_strides(const std::vector<int64_t>& extents) {
  std::vector<int64_t> strides(extents.size(), 1);
  for (size_t j = extents.size(); j-- > 1;) strides[j - 1] = strides[j] * extents[j];
  return strides;
}

Descriptor copy_descriptor(const DeviceLayout& layout, int buffer, const DeviceBox& box,
                           const std::vector<int64_t>& tile_extents, int64_t scratch, bool load) {
  const std::vector<int64_t> device = layout.strides(), tile = tile_strides(tile_extents);
  int64_t offset = 0, run = 1;
  std::vector<Nest> nest;
  bool contiguous = true;
  for (size_t j = layout.dims.size(); j-- > 0;) {
    offset += box.begin[j] * device[j];
    if (box.extent[j] == 1) continue;
    contiguous = contiguous && device[j] == run && tile[j] == run;
    if (contiguous) {
      run *= box.extent[j];
    } else {
      const int64_t source = (load ? device[j] : tile[j]) * layout.element_bytes;
      const int64_t target = (load ? tile[j] : device[j]) * layout.element_bytes;
      nest.push_back({box.extent[j], source, target});
    }
  }
  std::reverse(nest.begin(), nest.end());
  const Address in_device{Space::device, buffer, offset * layout.element_bytes};
  const Address in_scratch{Space::scratch, -1, scratch};
  return {load ? in_device : in_scratch, load ? in_scratch : in_device, run * layout.element_bytes, std::move(nest)};
}

std::vector<AddressDim> address_dims(const DeviceLayout& layout, const DeviceBox& box,
                                     const std::vector<int64_t>& tile_extents) {
  const std::vector<int64_t> tile = tile_strides(tile_extents);
  std::vector<AddressDim> dims;
  for (size_t j = 0; j < layout.dims.size(); ++j) {
    const DeviceDim& dim = layout.dims[j];
    if (dim.host_dim < 0) continue;
    const bool outermost = std::none_of(layout.dims.begin(), layout.dims.end(), [&](const DeviceDim& other) {
      return other.host_dim == dim.host_dim && other.host_step > dim.host_step;
    });
    dims.push_back(
        {dim.host_dim, dim.host_step, outermost ? 0 : dim.extent, box.begin[j], tile[j] * layout.element_bytes});
  }
  return dims;
}

}  // namespace faultline
