// The copy between a box of a buffer in device memory and its tile in scratch memory, as nested strides.
#pragma once

#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// Row-major element strides of a scratch tile of these device-dim extents; coordinate dims have extent 1 there.
std::vector<int64_t> tile_strides(const std::vector<int64_t>& extents);

// Device box -> scratch tile at `scratch` when `load`, the other way otherwise. Contiguous inner dims are merged.
Descriptor copy_descriptor(const DeviceLayout& layout, int buffer, const DeviceBox& box,
                           const std::vector<int64_t>& tile_extents, int64_t scratch, bool load);

// How a compute instruction finds elements of the box in that tile.
std::vector<AddressDim> address_dims(const DeviceLayout& layout, const DeviceBox& box,
                                     const std::vector<int64_t>& tile_extents);

}  // namespace faultline
