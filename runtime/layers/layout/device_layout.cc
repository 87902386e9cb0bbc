// The algebra itself. A host index finds its coordinates by division: floor(i / step) mod extent, where the dim with
// the largest step of a host dim is not wrapped; check_layout says for which layouts that is right.
#include "runtime/layers/layout/device_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace faultline {

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

int64_t CoordinateTerm::at(int64_t host_index) const {
  const int64_t quotient = floor_divide(host_index, step);
  return modulus == 0 ? quotient : quotient - floor_divide(quotient, modulus) * modulus;
}

int64_t DeviceLayout::elements() const {
  int64_t product = 1;
  for (const DeviceDim& dim : dims) product *= dim.is_memory() ? dim.extent : 1;
  return product;
}

std::vector<int64_t> DeviceLayout::strides() const {
  std::vector<int64_t> strides(dims.size(), 0);
  int64_t stride = 1;
  for (size_t j = dims.size(); j-- > 0;) {
    if (!dims[j].is_memory()) continue;
    strides[j] = stride;
    stride *= dims[j].extent;
  }
  return strides;
}

int64_t DeviceLayout::spaces() const {
  int64_t product = 1;
  for (const DeviceDim& dim : dims) product *= dim.is_memory() || dim.host_dim == kByteDim ? 1 : dim.extent;
  return product;
}

int64_t DeviceLayout::flat_element_bytes() const {
  int64_t product = element_bytes;
  for (const DeviceDim& dim : dims) product *= dim.host_dim == kByteDim ? dim.extent : 1;
  return product;
}

std::vector<int64_t> DeviceLayout::flat_strides() const {
  std::vector<int64_t> flat = strides();
  int64_t space = elements() * flat_element_bytes();
  for (size_t j = dims.size(); j-- > 0;) {
    flat[j] *= flat_element_bytes();
    if (dims[j].is_memory() || dims[j].host_dim == kByteDim) continue;
    flat[j] = space;
    space *= dims[j].extent;
  }
  return flat;
}

// Device dims of one host dim from the smallest step up; at equal steps an extent of 1 comes first, as nesting wants
// it.
static std::vector<size_t> nesting_order(const DeviceLayout& layout, int host_dim) {
  std::vector<size_t> order;
  for (size_t j = 0; j < layout.dims.size(); ++j) {
    if (layout.dims[j].host_dim == host_dim) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const DeviceDim &left = layout.dims[a], &right = layout.dims[b];
    return std::pair(left.host_step, left.extent) < std::pair(right.host_step, right.extent);
  });
  return order;
}

// Whether dim j is the last of its host dim in nesting_order.
static bool is_outermost(const std::vector<DeviceDim>& dims, size_t j) {
  const auto rank = [&](size_t i) { return std::tuple(dims[i].host_step, dims[i].extent, i); };
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i].host_dim == dims[j].host_dim && rank(i) > rank(j)) return false;
  return true;
}

std::vector<CoordinateTerm> DeviceLayout::terms() const {
  std::vector<CoordinateTerm> terms;
  terms.reserve(dims.size());
  for (size_t j = 0; j < dims.size(); ++j) {
    const DeviceDim& dim = dims[j];
    terms.push_back({dim.host_dim, 1, 1, 0});
    if (dim.host_dim < 0) continue;
    terms.back().step = dim.host_step;
    terms.back().modulus = is_outermost(dims, j) ? 0 : dim.extent;
  }
  int64_t stride = 1;
  for (size_t j = dims.size(); j-- > 0;) {
    if (!dims[j].is_memory()) continue;
    terms[j].stride = stride;
    stride *= dims[j].extent;
  }
  return terms;
}

std::vector<int64_t> DeviceLayout::coordinates(std::span<const int64_t> host_index) const {
  std::vector<int64_t> coordinates;
  for (const CoordinateTerm& term : terms()) {
    coordinates.push_back(term.host_dim < 0 ? 0 : term.at(host_index[term.host_dim]));
  }
  return coordinates;
}

int64_t DeviceLayout::address(std::span<const int64_t> host_index) const {
  int64_t address = 0;
  for (const CoordinateTerm& term : terms()) {
    if (term.host_dim >= 0) address += term.at(host_index[term.host_dim]) * term.stride;
  }
  return address * element_bytes;
}

int64_t held_extent(const DeviceLayout& layout, int host_dim) {
  int64_t last = 0;
  for (const DeviceDim& dim : layout.dims) {
    if (dim.host_dim == host_dim) last += dim.host_step * (dim.extent - 1);
  }
  return last + 1;
}

// Whether the dims in `order` are a mixed radix system from step 1 up; `covered` is how many indices it reaches. The
// outermost dim is not wrapped, so even with extent 1 its step counts.
static bool is_nested(const DeviceLayout& layout, const std::vector<size_t>& order, int64_t* covered) {
  *covered = 1;
  for (const size_t j : order) {
    const DeviceDim& dim = layout.dims[j];
    if (dim.extent == 1 && (j != order.back() || dim.host_step >= *covered)) continue;
    if (dim.host_step != *covered) return false;
    *covered *= dim.extent;
  }
  return true;
}

// Positions of every index of one host dim, by walking all settings of its device dims.
static std::string enumerate_dim(const DeviceLayout& layout, int host_dim, int64_t size,
                                 const std::vector<size_t>& order) {
  std::vector<int> positions(size, 0);
  std::vector<int64_t> setting(order.size(), 0);
  const std::vector<CoordinateTerm> terms = layout.terms();
  std::string misplaced;
  while (true) {
    int64_t index = 0;
    for (size_t k = 0; k < order.size(); ++k) index += layout.dims[order[k]].host_step * setting[k];
    if (index < size) {
      ++positions[index];
      for (size_t k = 0; k < order.size() && misplaced.empty(); ++k) {
        if (terms[order[k]].at(index) == setting[k]) continue;
        misplaced = fmt::format("index {} of dim {} lies at {} of device dim {}, where division finds {}", index,
                                host_dim, setting[k], order[k], terms[order[k]].at(index));
      }
    }
    size_t k = 0;
    while (k < order.size() && ++setting[k] == layout.dims[order[k]].extent) setting[k++] = 0;
    if (k == order.size()) break;
  }
  for (int64_t index = 0; index < size; ++index) {
    if (positions[index] == 0) return fmt::format("index {} of dim {} has no position", index, host_dim);
    if (positions[index] > 1)
      return fmt::format("index {} of dim {} has {} positions", index, host_dim, positions[index]);
  }
  return misplaced;
}

static std::string check_dims(const DeviceLayout& layout, const Sizes& sizes) {
  if (layout.element_bytes < 1) return fmt::format("an element has {} bytes", layout.element_bytes);
  for (size_t j = 0; j < layout.dims.size(); ++j) {
    const DeviceDim& dim = layout.dims[j];
    if (dim.host_dim < kByteDim || dim.host_dim >= static_cast<int>(sizes.size())) {
      return fmt::format("device dim {} names host dim {} of {}", j, dim.host_dim, sizes.size());
    }
    // A tensor without elements has a layout without positions.
    const bool empty = dim.host_dim >= 0 && sizes[dim.host_dim] == 0;
    if (dim.extent < (empty ? 0 : 1)) return fmt::format("device dim {} has extent {}", j, dim.extent);
    if (dim.host_step < 1) return fmt::format("device dim {} has step {}", j, dim.host_step);
  }
  return "";
}

std::string check_layout(const DeviceLayout& layout, const Sizes& sizes) {
  std::string problem = check_dims(layout, sizes);
  for (int host_dim = 0; host_dim < static_cast<int>(sizes.size()) && problem.empty(); ++host_dim) {
    const std::vector<size_t> order = nesting_order(layout, host_dim);
    int64_t covered = 1;
    if (!is_nested(layout, order, &covered)) {
      problem = enumerate_dim(layout, host_dim, sizes[host_dim], order);
    } else if (covered < sizes[host_dim]) {
      problem = fmt::format("index {} of dim {} has no position: the layout holds {} of {}", covered, host_dim, covered,
                            sizes[host_dim]);
    }
  }
  return problem;
}

int64_t DeviceBox::elements() const {
  int64_t product = 1;
  for (const int64_t size : extent) product *= size;
  return product;
}

}  // namespace faultline
