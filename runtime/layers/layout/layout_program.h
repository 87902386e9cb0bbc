// The artefact of `layout`: the kernels of `fuse` with a device layout for every buffer, relayout kernels inserted where an
// access does not run along the sticks of its buffer, and the lane dim of every kernel.
#pragma once

#include "runtime/layers/fuse/kernel.h"
#include "runtime/layers/layout/device_layout.h"

namespace faultline {

struct KernelLayout {
  // The iteration dim that runs along the lanes of a stick or vector; for a reduction over the stick dim a reduction dim.
  int lane_dim = 0;
  // How far each iteration dim runs in device memory (whole sticks along lane_dim); at least kernel.extents for a legal
  // layout. Points at or beyond `valid` are masked.
  std::vector<int64_t> padded;
  std::vector<int64_t> valid;
  bool relayout = false;  // inserted by this layer: moves elements between layouts (restickify), no arithmetic
  bool operator==(const KernelLayout&) const = default;
};

struct LayoutProgram {
  KernelProgram program;
  std::vector<DeviceLayout> layouts;   // by buffer
  std::vector<KernelLayout> kernels;   // by kernel
};

}  // namespace faultline
