// The cost of a request: a set-up and its bytes at a rate, or its points at the unit's rate.
#include "runtime/device/device_costs.h"

#include <algorithm>
#include <cmath>

namespace faultline {

int64_t moved_bytes(const Descriptor& descriptor) {
  int64_t bytes = descriptor.bytes;
  for (const Nest& nest : descriptor.nest) bytes *= std::max<int64_t>(0, nest.count);
  return bytes;
}

const Address* device_side(const Descriptor& descriptor) {
  if (descriptor.source.space == Space::device) return &descriptor.source;
  return descriptor.target.space == Space::device ? &descriptor.target : nullptr;
}

DeviceCosts::DeviceCosts(const DeviceParameters& parameters, const MachineProgram& program)
    : parameters_(parameters), program_(program) {
  for (const Kernel& kernel : program.operations) {
    const auto applied = [](const ScalarNode& node) { return node.kind == ScalarNode::Kind::apply; };
    const auto count = std::count_if(kernel.nodes.begin(), kernel.nodes.end(), applied);
    operations_.push_back(std::max<int>(1, static_cast<int>(count)));
  }
}

int64_t DeviceCosts::at_rate(int64_t amount, double rate) {
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(static_cast<double>(amount) / rate)));
}

int64_t DeviceCosts::host_copy(int64_t bytes) const {
  return parameters_.dma_setup_ticks + at_rate(bytes, parameters_.host_bytes_per_tick);
}

int64_t DeviceCosts::copy(int64_t bytes) const {
  return parameters_.dma_setup_ticks +
         at_rate(bytes, std::min(parameters_.device_bytes_per_tick, parameters_.scratch_bytes_per_tick));
}

int64_t DeviceCosts::Channel::end_of_copy(const DeviceCosts& costs, int64_t begin, int64_t bytes) {
  const double exact = static_cast<double>(bytes) / costs.parameters_.device_bytes_per_tick;
  const int64_t start = (begin + costs.parameters_.dma_setup_ticks) << kFraction;
  free_ = std::max(free_, start) + static_cast<int64_t>(std::ceil(exact * (int64_t{1} << kFraction)));
  const int64_t shared = (free_ + (int64_t{1} << kFraction) - 1) >> kFraction;
  return std::max(shared, begin + costs.copy(bytes));
}

int64_t DeviceCosts::compute(const Compute& compute) const {
  const Kernel& kernel = program_.operations[compute.operations];
  int64_t points = 1;
  for (size_t d = 0; d < compute.box.end.size(); ++d) {
    const int64_t extent = compute.box.end[d] - compute.box.begin[d];
    // The instruction that only finishes a reduction has no reduction points, and works on the parallel ones.
    points *= static_cast<int>(d) < kernel.parallel ? std::max<int64_t>(0, extent) : std::max<int64_t>(1, extent);
  }
  if (compute.unit == Unit::matrix) return at_rate(points, parameters_.matrix_macs_per_tick);
  const int operations = compute.unit == Unit::move ? 1 : operations_[compute.operations];
  return at_rate(points * operations, parameters_.vector_elements_per_tick);
}

// A partial result is four bytes.
int64_t DeviceCosts::send_bytes(const Compute& compute) const {
  int64_t bytes = 4;
  for (int d = 0; d < program_.operations[compute.operations].parallel; ++d)
    bytes *= std::max<int64_t>(0, compute.box.end[d] - compute.box.begin[d]);
  return bytes;
}

int64_t DeviceCosts::send(const Compute& compute) const {
  return at_rate(send_bytes(compute), parameters_.ring_bytes_per_tick);
}

int64_t DeviceCosts::serial(int64_t host_bytes) const {
  int64_t ticks = host_copy(host_bytes);
  for (const Launch& launch : program_.launches) {
    ticks += 2 * parameters_.dma_setup_ticks + parameters_.launch_ticks;
    for (const Descriptor& descriptor : launch.descriptors) ticks += copy(moved_bytes(descriptor));
    for (const Compute& compute : launch.computes) ticks += this->compute(compute) + send(compute);
  }
  return ticks;
}

}  // namespace faultline
