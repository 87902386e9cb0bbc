// One layout algebra for all machines: an ordered list of device dims, innermost last.
//
//   host index   i_d = sum over dims j with host_dim d of host_step_j * c_j
//   valid(c)     every i_d < size_d, and c_j = 0 for every memory dim with host_dim -1
//   address(c)   row-major over the memory dims, in elements; times element_bytes in bytes
//
// Legal: every host index has exactly one valid c (a coordinate dim with host_dim -1 replicates: all its values are
// valid). Positions that are not valid are padding under the contract.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/tensor.h"

namespace faultline {

inline constexpr int kSyntheticDim = -1;  // DeviceDim::host_dim: no host dim
inline constexpr int kByteDim = -2;       // the byte of an element, least significant first (byte planes)

struct DeviceDim {
  int host_dim = 0;       // a host dim, kSyntheticDim or kByteDim
  int64_t host_step = 1;  // host elements a step
  int64_t extent = 1;
  std::string axis = "mem";  // "mem" or "addr" (memory), or a coordinate axis: core, pe_x, slice, lane, ...

  bool is_memory() const { return axis == "mem" || axis == "addr"; }
  bool operator==(const DeviceDim&) const = default;
};

enum class Padding : uint8_t { undefined, zero, neutral };
std::string_view name(Padding padding);

// Device coordinate of a host index along one dim: floor(i / step) mod modulus. modulus 0: not wrapped, which is the
// outermost dim of each host dim: beyond a (faulty) extent the address goes on as arithmetic gives it, as hardware
// does.
struct CoordinateTerm {
  int host_dim = 0;
  int64_t step = 1, modulus = 0;
  int64_t stride = 0;  // elements; 0 for a coordinate dim

  int64_t at(int64_t host_index) const;
  bool operator==(const CoordinateTerm&) const = default;
};

struct DeviceLayout {
  std::vector<DeviceDim> dims;
  int element_bytes = 2;  // a position's
  Padding padding = Padding::undefined;
  bool operator==(const DeviceLayout&) const = default;

  int64_t elements() const;  // product of the memory dims' extents
  int64_t bytes() const { return elements() * element_bytes; }
  // How many settings the coordinate dims have: memories like this one (1 without coordinate dims). Byte dims do not
  // count.
  int64_t spaces() const;
  // Element strides of every device dim (0 for coordinate dims): product of the later memory extents.
  std::vector<int64_t> strides() const;
  // By device dim. Synthetic and byte dims have modulus 1: their coordinate is 0.
  std::vector<CoordinateTerm> terms() const;
  // For executors that keep all spaces in one array of spaces() * bytes(), one behind the other, and the bytes of an
  // element together whatever planes they lie in: byte strides of every device dim, and how many bytes an element takes
  // there.
  std::vector<int64_t> flat_strides() const;
  int64_t flat_element_bytes() const;
  int64_t flat_bytes() const { return spaces() * elements() * flat_element_bytes(); }
  // Device coordinates of the host index, by device dim.
  std::vector<int64_t> coordinates(std::span<const int64_t> host_index) const;
  // Byte address of the host index within the allocation, or within the space that its coordinate dims name.
  int64_t address(std::span<const int64_t> host_index) const;
};

// "{0,64,2}{0,1,64} x2B undefined"; coordinate dims print their axis: "{0,25,4,core}"; byte dims: "{byte,1,2,slice}".
std::string to_text(const DeviceLayout& layout);
// Throws UserError.
DeviceLayout parse_device_layout(std::string_view text);

// Indices of a host dim that the layout holds from 0 up: the last position's index plus 1.
int64_t held_extent(const DeviceLayout& layout, int host_dim);

// Empty when legal for a tensor of these sizes and when coordinates() finds the position of every host index; otherwise
// one sentence: which host index has no or several positions. Host dims are independent of each other, so each is taken
// alone: proved by nesting of steps where possible, enumerated otherwise.
std::string check_layout(const DeviceLayout& layout, const Sizes& sizes);

// A box of device coordinates, one range a dim: what a transfer moves.
struct DeviceBox {
  std::vector<int64_t> begin, extent;
  int64_t elements() const;
  bool operator==(const DeviceBox&) const = default;
};

}  // namespace faultline
