// One layout algebra for all machines (targets/README.md section 2): an ordered list of device dims, innermost last.
//
//   host index   i_d = sum over dims j with host_dim d of host_step_j * c_j
//   valid(c)     every i_d < size_d, and c_j = 0 for every memory dim with host_dim -1
//   address(c)   row-major over the memory dims, in elements; times element_bytes in bytes
//
// Legal: every host index has exactly one valid c. Positions that are not valid are padding under the contract.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/ir/tensor.h"

namespace faultline {

struct DeviceDim {
  int host_dim = 0;       // -1: synthetic (no host dim)
  int64_t host_step = 1;  // host elements a step
  int64_t extent = 1;
  std::string axis = "mem";  // "mem" or a coordinate axis: core, pe_x, slice, lane, ...
  bool operator==(const DeviceDim&) const = default;
};

enum class Padding : uint8_t { undefined, zero, neutral };
std::string_view name(Padding padding);

struct DeviceLayout {
  std::vector<DeviceDim> dims;
  int element_bytes = 2;
  Padding padding = Padding::undefined;
  bool operator==(const DeviceLayout&) const = default;

  int64_t elements() const;  // product of the memory dims' extents
  int64_t bytes() const { return elements() * element_bytes; }
  // Element strides of every device dim (0 for coordinate dims): product of the later memory extents.
  std::vector<int64_t> strides() const;
  // Byte address of the host index within the allocation. Not checked against the extents: an index beyond a (faulty) extent
  // gives the address that the arithmetic gives, as hardware does: the outermost dim of a host dim is not wrapped.
  int64_t address(std::span<const int64_t> host_index) const;
};

// "{0,64,2}{0,1,64} x2B undefined"; coordinate dims print their axis: "{0,25,4,core}".
std::string to_text(const DeviceLayout& layout);
DeviceLayout parse_device_layout(std::string_view text);

// Empty when legal for a tensor of these sizes; otherwise one sentence: which host index has no or several positions.
// Proved by nesting of steps where possible, enumerated otherwise.
std::string check_layout(const DeviceLayout& layout, const Sizes& sizes);

// A box of device coordinates, one range a dim: what a transfer moves.
struct DeviceBox {
  std::vector<int64_t> begin, extent;
  int64_t elements() const;
  bool operator==(const DeviceBox&) const = default;
};

}  // namespace faultline
