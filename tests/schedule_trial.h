// What the tests of schedule share: kernels through layout and tile to a machine program.
#pragma once

#include "runtime/layers/schedule/schedule.h"
#include "tests/tile_trial.h"

namespace faultline {

// The tiles of a program and what schedule made of them.
struct Scheduled {
  TileProgram tiles;
  MachineProgram machine;
};

inline Scheduled scheduled(const KernelProgram& kernels, const TilePolicy& policy,
                           const SchedulePolicy& schedules = {}) {
  Scheduled made;
  made.tiles = tile(assign_layouts(kernels, layouts()), policy);
  made.machine = schedule(made.tiles, schedules);
  return made;
}

// Options drawn for one seed: cores, residency, double buffers, and how much scratch a core has.
inline Trial random_policy(uint64_t seed) {
  PhiloxStream stream(seed, "tile options");
  static constexpr int kCores[] = {1, 2, 3, 8, 32};
  static constexpr int64_t kBytes[] = {2048, 8192, 65536, spyre::kLxUsableBytes};
  const spyre::TileOptions options{kCores[stream.below(5)], stream.below(2) == 1, stream.below(2) == 1};
  return Trial(options, kBytes[stream.below(4)]);
}

}  // namespace faultline
