// How long requests take when nothing goes wrong, in ticks.
#pragma once

#include "runtime/device/device_parameters.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

class DeviceCosts {
 public:
  // Keeps references to both.
  DeviceCosts(const DeviceParameters& parameters, const MachineProgram& program);

  int64_t host_copy(int64_t bytes) const;
  // Of one engine's copy on a machine that is otherwise idle.
  int64_t copy(int64_t bytes) const;
  // Ends of copies that share the device memory's bandwidth: one after the other in the order in which they begin.
  class Channel {
   public:
    int64_t end_of_copy(const DeviceCosts& costs, int64_t begin, int64_t bytes);

   private:
    int64_t free_ = 0;  // tick << kFraction
  };
  int64_t compute(const Compute& compute) const;
  int64_t send(const Compute& compute) const;
  int64_t send_bytes(const Compute& compute) const;
  // One request after the other: an upper bound on the ticks of a clean job, whatever the streams do beside each other.
  int64_t serial(int64_t host_bytes) const;

 private:
  static constexpr int kFraction = 16;
  static int64_t at_rate(int64_t amount, double rate);

  const DeviceParameters& parameters_;
  const MachineProgram& program_;
  std::vector<int> operations_;  // scalar operations a point, by kernel
};

// Bytes that a descriptor moves.
int64_t moved_bytes(const Descriptor& descriptor);
// The side of a descriptor that lies in device memory; null when none does.
const Address* device_side(const Descriptor& descriptor);

}  // namespace faultline
