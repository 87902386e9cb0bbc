// What fault rows of `schedule` ask of a machine program.
#pragma once

#include <optional>

#include "faults/sites.h"
#include "runtime/layers/schedule/machine_program.h"

namespace faultline {

// "<kernel>/<operand>/<core>": `buffer` and `core` -1 are left out.
FaultSite launch_site(const MachineProgram& program, size_t launch, int buffer, int core, std::vector<int64_t> at);

// The compute instructions of sums that are `wanted`: `at` is launch and instruction.
std::vector<FaultSite> sum_sites(const MachineProgram& program,
                                 bool (*wanted)(const Kernel& kernel, const Compute& compute));

// A stream of a launch by core and engine, or -1.
int stream_of(const Launch& launch, int core, Engine engine);

// The signal that a core's loads of a tile give, and the compute instructions' wait for it.
struct LoadSignal {
  int core = -1;
  int buffer = -1;                // that is copied in last before the signal
  int stream = -1, position = 0;  // of the signal
  int compute = -1, wait = 0;     // stream and position of the wait
};
// Of all cores and tiles that copy something in.
std::vector<LoadSignal> load_signals(const Launch& launch);

// When a buffer's contents in device memory are made and last needed, by launch; -1 the host's copy in, launches.size()
// its copy out. Nothing for a buffer that nobody copies.
struct DeviceLife {
  int stored = 0, needed = 0;
};
std::vector<std::optional<DeviceLife>> device_lives(const MachineProgram& program);

inline bool is_load(const Descriptor& descriptor) { return descriptor.source.space == Space::device; }

}  // namespace faultline
